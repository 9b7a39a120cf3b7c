import {
  type SamplingName,
  type SamplingTable,
  samplingDefaults,
  selectSamplingBy,
} from "../../core/sampling-table.js";
import type { nativeCompletion, nativeSettings } from "./answer.js";
import type { infillAnswer, infillPiece, infillRequest } from "./infill.js";
import type { nativeCompletionRequest } from "./request.js";
import type { nativePiece } from "./stream.js";

export const exampleRequest: z.input<typeof nativeCompletionRequest> = {
  prompt: "The capital of France is",
  n_predict: 3,
};

export const exampleSampling = selectSamplingBy("json", samplingDefaults) as Pick<
  z.input<typeof nativeSettings>,
  SamplingTable[SamplingName]["json"]
>;

export const exampleAnswer: z.input<typeof nativeCompletion> = {
  index: 0,
  content: " Paris.",
  tokens: [],
  tokens_predicted: 3,
  tokens_evaluated: 6,
  stop: true,
  stop_type: "limit",
  stopping_word: "",
  has_new_line: false,
  truncated: false,
  tokens_cached: 0,
  timings: {
    cache_n: 0,
    prompt_n: 6,
    prompt_ms: 8.1,
    prompt_per_token_ms: 1.35,
    prompt_per_second: 740.7,
    predicted_n: 3,
    predicted_ms: 5.2,
    predicted_per_token_ms: 2.6,
    predicted_per_second: 384.6,
  },
  model: "ggufd-mini",
  prompt: "The capital of France is",
  generation_settings: {
    seed: 4294967295,
    n_ctx: 2048,
    n_predict: 3,
    max_tokens: 3,
    n_probs: 0,
    stop: [],
    stream: false,
    ignore_eos: false,
    ...exampleSampling,
    logit_bias: [],
  },
};

export const examplePiece: z.input<typeof nativePiece> = {
  index: 0,
  content: " Paris",
  tokens: [12366],
  tokens_predicted: 1,
  tokens_evaluated: 6,
  stop: false,
};

import type { z } from "zod";

export const exampleInfill: z.input<typeof infillRequest> = {
  input_prefix: "def twice(x):\n    return ",
  input_suffix: "\n",
  n_predict: 16,
};

export const exampleInfillAnswer: z.input<typeof infillAnswer> = {
  index: 0,
  content: "2 * x",
  tokens_predicted: 4,
  tokens_evaluated: 14,
  stop: true,
  model: "ggufd-mini",
  stop_type: "eos",
  stopping_word: "",
  has_new_line: false,
  truncated: false,
  tokens_cached: 0,
  timings: {
    cache_n: 0,
    prompt_n: 14,
    prompt_ms: 8.1,
    prompt_per_token_ms: 0.58,
    prompt_per_second: 1728.4,
    predicted_n: 4,
    predicted_ms: 5.2,
    predicted_per_token_ms: 1.73,
    predicted_per_second: 576.9,
  },
};

export const exampleInfillPiece: z.input<typeof infillPiece> = {
  index: 0,
  content: "2",
  tokens_predicted: 1,
  tokens_evaluated: 14,
  stop: false,
};
