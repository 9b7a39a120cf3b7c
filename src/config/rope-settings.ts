import { numberBetween, oneOf } from "../validation/fields.js";
import type { Setting } from "./setting.js";
import { positiveInteger, positiveNumber } from "./setting-fields.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Settings of rotary position embeddings, named as in llama-server. */
export const ropeSettings = {
  ropeScaling: {
    schema: oneOf(["none", "linear", "yarn"]).optional(),
    factOf: ["generation"],
    at: "rope.scaling",
    form: "text",
    placeholder: "none|linear|yarn",
    help: "RoPE scaling method for contexts beyond the trained one (default: the model file's)",
  },
  ropeScale: {
    schema: positiveNumber().optional(),
    factOf: ["generation"],
    at: "rope.scale",
    form: "number",
    placeholder: "N",
    help: "RoPE context scaling factor (default: the model file's)",
  },
  ropeFreqBase: {
    schema: positiveNumber().optional(),
    factOf: ["generation"],
    at: "rope.freqBase",
    form: "number",
    placeholder: "N",
    help: "RoPE base frequency (default: the model file's)",
  },
  ropeFreqScale: {
    schema: positiveNumber().optional(),
    factOf: ["generation"],
    at: "rope.freqScale",
    form: "number",
    placeholder: "N",
    help: "RoPE frequency scaling factor, 1/--rope-scale (default: the model file's)",
  },
  yarnOrigCtx: {
    schema: positiveInteger().optional(),
    factOf: ["generation"],
    at: "rope.yarnOrigCtx",
    form: "integer",
    placeholder: "N",
    help: "context size that the model was trained with, in tokens (default: the model file's)",
  },
  yarnExtFactor: {
    schema: numberBetween(0, UNBOUNDED).optional(),
    factOf: ["generation"],
    at: "rope.yarnExtFactor",
    form: "number",
    placeholder: "N",
    help: "YaRN extrapolation mix; 0 is full interpolation (default: the model file's)",
  },
  yarnAttnFactor: {
    schema: numberBetween(0, UNBOUNDED).optional(),
    factOf: ["generation"],
    at: "rope.yarnAttnFactor",
    form: "number",
    placeholder: "N",
    help: "YaRN attention magnitude scale (default: the model file's)",
  },
  yarnBetaSlow: {
    schema: numberBetween(0, UNBOUNDED).optional(),
    factOf: ["generation"],
    at: "rope.yarnBetaSlow",
    form: "number",
    placeholder: "N",
    help: "YaRN high correction dimension, beta (default: the model file's)",
  },
  yarnBetaFast: {
    schema: numberBetween(0, UNBOUNDED).optional(),
    factOf: ["generation"],
    at: "rope.yarnBetaFast",
    form: "number",
    placeholder: "N",
    help: "YaRN low correction dimension, alpha (default: the model file's)",
  },
} as const satisfies Record<string, Setting>;
