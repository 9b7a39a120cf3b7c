import { describeValue, type GgufHeader, type HeaderValue } from "./gguf-header.js";
import { MalformedFileError } from "./header-reader.js";

/** llama.cpp's `LLAMA_MAX_LAYERS` and `LLAMA_MAX_EXPERTS`, beyond which it ends the process. */
const MAX_LAYERS = 512;
const MAX_EXPERTS = 1024;

/** A requirement for a metadata value. */
interface Rule {
  /** Description of accepted values, for errors. */
  readonly expected: string;
  readonly accepts: (value: HeaderValue) => boolean;
  readonly presence: "required" | "optional";
}

const text: Rule["accepts"] = ({ type }) => type === "string";
const integer =
  (min: number, max = 2 ** 32 - 1): Rule["accepts"] =>
  (value) =>
    value.type === "u32" && value.value >= min && value.value <= max;
/** Accepts one number, or one per layer. */
const integers: Rule["accepts"] = (value) =>
  value.type === "array" ? value.element === "u32" || value.element === "i32" : integer(0)(value);

const GENERAL_RULES: Readonly<Record<string, Rule>> = {
  "general.architecture": {
    expected: "a name",
    accepts: (value) => value.type === "string" && value.text !== undefined,
    presence: "required",
  },
  "tokenizer.ggml.model": { expected: "a text", accepts: text, presence: "required" },
  "tokenizer.ggml.tokens": {
    expected: "an array of strings",
    accepts: (value) => value.type === "array" && value.element === "string" && value.length > 0,
    presence: "required",
  },
  "tokenizer.chat_template": { expected: "a text", accepts: text, presence: "optional" },
};

/** Rules by key, without the architecture prefix. */
const ARCHITECTURE_RULES: Readonly<Record<string, Rule>> = {
  block_count: {
    expected: `1 to ${MAX_LAYERS} layers (u32)`,
    accepts: integer(1, MAX_LAYERS),
    presence: "required",
  },
  context_length: { expected: "a u32", accepts: integer(0), presence: "required" },
  embedding_length: { expected: "at least 1 (u32)", accepts: integer(1), presence: "required" },
  expert_count: {
    expected: `at most ${MAX_EXPERTS} experts (u32)`,
    accepts: integer(0, MAX_EXPERTS),
    presence: "optional",
  },
  feed_forward_length: { expected: "u32 numbers", accepts: integers, presence: "optional" },
  "attention.head_count": { expected: "u32 numbers", accepts: integers, presence: "optional" },
  "attention.head_count_kv": { expected: "u32 numbers", accepts: integers, presence: "optional" },
  nextn_predict_layers: { expected: "a u32", accepts: integer(0), presence: "optional" },
  target_layers: { expected: "u32 numbers", accepts: integers, presence: "optional" },
  target_hidden_size: { expected: "at least 1 (u32)", accepts: integer(1), presence: "optional" },
  "attention.layer_norm_epsilon": {
    expected: "a number of at least 0 (f32)",
    accepts: isEpsilon,
    presence: "optional",
  },
  "attention.layer_norm_rms_epsilon": {
    expected: "a number of at least 0 (f32)",
    accepts: isEpsilon,
    presence: "optional",
  },
};

/**
 * Checks the values of a model that node-llama-cpp computes with before llama.cpp checks them, or
 * that llama.cpp asserts. llama.cpp reports all other errors itself.
 * @throws {MalformedFileError} names the key
 */
export function checkHyperparameters({ metadata }: Pick<GgufHeader, "metadata">): void {
  for (const [key, rule] of Object.entries(GENERAL_RULES)) check(metadata, key, rule);
  const architecture = metadata.get("general.architecture");
  const prefix = architecture?.type === "string" ? architecture.text : undefined;
  for (const [name, rule] of Object.entries(ARCHITECTURE_RULES)) {
    check(metadata, `${prefix}.${name}`, rule);
  }
  checkPredictingLayers(metadata, prefix);
  for (const [key, value] of metadata) {
    // 64-bit values cannot be combined with the others in arithmetic.
    if (!key.startsWith(`${prefix}.`) || !(value.type === "u64" || value.type === "i64")) continue;
    throw createValueError(key, "a 32-bit number", value);
  }
}

/** Checks that the prediction layers are not more than all layers, which include them. */
function checkPredictingLayers(metadata: GgufHeader["metadata"], prefix: string | undefined): void {
  const key = `${prefix}.nextn_predict_layers`;
  const layers = metadata.get(`${prefix}.block_count`);
  const predictionLayers = metadata.get(key);
  if (layers?.type !== "u32" || predictionLayers?.type !== "u32") return;
  if (predictionLayers.value > layers.value) {
    throw createValueError(key, `at most ${layers.value}, the number of layers`, predictionLayers);
  }
}

function check(metadata: GgufHeader["metadata"], key: string, rule: Rule): void {
  const value = metadata.get(key);
  if (value === undefined ? rule.presence === "optional" : rule.accepts(value)) return;
  throw createValueError(key, rule.expected, value);
}

function createValueError(
  key: string,
  expected: string,
  value: HeaderValue | undefined,
): MalformedFileError {
  return new MalformedFileError(
    `metadata ${JSON.stringify(key)}: expected ${expected}, got ${describeValue(value)}`,
  );
}

function isEpsilon(value: HeaderValue): boolean {
  return value.type === "f32" && value.value >= 0 && Number.isFinite(value.value);
}
