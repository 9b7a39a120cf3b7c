import type { ToolConvention } from "../../../../core/output-format.js";
import type { Convention } from "./convention.js";
import {
  DEEPSEEK_V3,
  DEEPSEEK_V3_1,
  FUNCTIONARY_V3_1,
  FUNCTIONARY_V3_2,
  KIMI_K2,
  SOLAR,
} from "./framed-families.js";
import {
  APERTUS,
  APRIEL,
  COMMAND_R,
  COMMAND_R7B,
  FIREFUNCTION,
  GENERIC,
  GIGACHAT,
  GIGACHAT_3_1,
  GRANITE,
  HERMES,
  MINIMAX_M1,
  NEMOTRON,
  PHI4,
} from "./json-families.js";
import { GEMMA4, GPT_OSS, LFM2 } from "./literal-families.js";
import { LLAMA3 } from "./llama.js";
import { MISTRAL_ARGS, MISTRAL_CALL_ID, MISTRAL_LIST } from "./mistral.js";
import {
  GLM,
  HUNYUAN,
  MINICPM5,
  MINIMAX_M2,
  MINIMAX_M3,
  MUSE_GLIMMER,
  QWEN3_CODER,
  SEED,
} from "./parameter-families.js";
import { DEEPSEEK_V3_2, DEEPSEEK_V4, KIMI_K3 } from "./typed-parameter-families.js";

/** All conventions, by name. */
export const CONVENTIONS: Readonly<Record<ToolConvention, Convention>> = {
  hermes: HERMES,
  "qwen3-coder": QWEN3_CODER,
  glm: GLM,
  llama3: LLAMA3,
  "mistral-list": MISTRAL_LIST,
  "mistral-args": MISTRAL_ARGS,
  "mistral-call-id": MISTRAL_CALL_ID,
  "deepseek-v3": DEEPSEEK_V3,
  "deepseek-v3.1": DEEPSEEK_V3_1,
  "deepseek-v3.2": DEEPSEEK_V3_2,
  "deepseek-v4": DEEPSEEK_V4,
  "gpt-oss": GPT_OSS,
  gemma4: GEMMA4,
  "functionary-v3.1": FUNCTIONARY_V3_1,
  "functionary-v3.2": FUNCTIONARY_V3_2,
  "command-r": COMMAND_R,
  "command-r7b": COMMAND_R7B,
  granite: GRANITE,
  phi4: PHI4,
  "kimi-k2": KIMI_K2,
  "kimi-k3": KIMI_K3,
  "minimax-m1": MINIMAX_M1,
  "minimax-m2": MINIMAX_M2,
  "minimax-m3": MINIMAX_M3,
  "muse-glimmer": MUSE_GLIMMER,
  lfm2: LFM2,
  nemotron: NEMOTRON,
  apertus: APERTUS,
  apriel: APRIEL,
  firefunction: FIREFUNCTION,
  gigachat: GIGACHAT,
  "gigachat-3.1": GIGACHAT_3_1,
  hunyuan: HUNYUAN,
  minicpm5: MINICPM5,
  seed: SEED,
  solar: SOLAR,
  generic: GENERIC,
};
