import { numberBetween, oneOf } from "../validation/fields.js";
import type { Setting } from "./setting.js";
import { above0, positiveInteger } from "./setting-fields.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** How a model's rotary position embeddings are computed: llama-server's flags, by their names there. */
export const ropeSettings = {
  ropeScaling: {
    schema: oneOf(["none", "linear", "yarn"]).optional(),
    factOf: ["generation"],
    at: "rope.scaling",
    form: "text",
    placeholder: "none|linear|yarn",
    help: "how positions are scaled for contexts that are longer than the model's (default: the model file's)",
  },
  ropeScale: {
    schema: above0().optional(),
    factOf: ["generation"],
    at: "rope.scale",
    form: "number",
    placeholder: "N",
    help: "factor by which the context is longer than the model's (default: the model file's)",
  },
  ropeFreqBase: {
    schema: above0().optional(),
    factOf: ["generation"],
    at: "rope.freqBase",
    form: "number",
    placeholder: "N",
    help: "base of the frequencies of positions (default: the model file's)",
  },
  ropeFreqScale: {
    schema: above0().optional(),
    factOf: ["generation"],
    at: "rope.freqScale",
    form: "number",
    placeholder: "N",
    help: "one divided by --rope-scale, and instead of it (default: the model file's)",
  },
  yarnOrigCtx: {
    schema: positiveInteger().optional(),
    factOf: ["generation"],
    at: "rope.yarnOrigCtx",
    form: "integer",
    placeholder: "N",
    help: "context that the model was trained with before it was scaled, in tokens (default: the model file's)",
  },
  yarnExtFactor: {
    schema: numberBetween(0, UNBOUNDED).optional(),
    factOf: ["generation"],
    at: "rope.yarnExtFactor",
    form: "number",
    placeholder: "N",
    help: "how much YaRN extrapolates; 0 is full interpolation (default: the model file's)",
  },
  yarnAttnFactor: {
    schema: numberBetween(0, UNBOUNDED).optional(),
    factOf: ["generation"],
    at: "rope.yarnAttnFactor",
    form: "number",
    placeholder: "N",
    help: "factor of YaRN's attention (default: the model file's)",
  },
  yarnBetaSlow: {
    schema: numberBetween(0, UNBOUNDED).optional(),
    factOf: ["generation"],
    at: "rope.yarnBetaSlow",
    form: "number",
    placeholder: "N",
    help: "rotations up to which YaRN interpolates (default: the model file's)",
  },
  yarnBetaFast: {
    schema: numberBetween(0, UNBOUNDED).optional(),
    factOf: ["generation"],
    at: "rope.yarnBetaFast",
    form: "number",
    placeholder: "N",
    help: "rotations from which YaRN extrapolates (default: the model file's)",
  },
} as const satisfies Record<string, Setting>;
