import type { SamplerDescription, SamplerStage } from "./companion/native-companion.js";

/**
 * Maximum number of candidates left to draw from. With more, single-precision sums taken in a
 * different order too often select another token for the same random number.
 */
const MAX_CANDIDATES = 1024;
const MAX_BIASES = 1024;
/**
 * llama.cpp reserves 2048 graph nodes to check a chain on a device; a stage takes up to 30 of them.
 */
const MAX_STAGES = 16;
/** Length of the list of penalised tokens that a device receives with each batch. */
const MAX_PENALTY_WINDOW_TOKENS = 1024;
/** With a min-p near 1, rounding excludes even the most probable token. */
const MAX_MIN_P = 0.9;
/** Below this, scaled logits may exceed the largest float. */
const MIN_TEMPERATURE = 1e-3;

/** Limits for the parameters of samplers. */
export interface SamplerLimits {
  /** Maximum number of tokens in a text. */
  readonly maxTokens: number;
  /** Number of tokens in the vocabulary. */
  readonly vocabulary: number;
}

/**
 * Describes the samplers of a generation as a device runs them (llama.cpp's backend sampling).
 * Samplers with equal descriptions differ only in their state.
 * @returns `undefined` if llama.cpp cannot run all of them on a device with the same result as on
 *   the CPU
 */
export function describeDeviceSamplers(
  { stages, biasTokens, biasValues, forbidden }: Omit<SamplerDescription, "onDevice">,
  { maxTokens, vocabulary }: SamplerLimits,
): string | undefined {
  if (stages.length > MAX_STAGES || !hasFewCandidates(stages)) return undefined;
  const forbiddenTokens = forbidden.flatMap(({ tokens }) => [...tokens]);
  const biasedTokens = biasTokens.length + forbiddenTokens.length;
  // A chain applies to a whole text, so none of its biases may end earlier.
  const areLasting = forbidden.every(({ until }) => until >= maxTokens);
  const areFinite = biasValues.every((bias) => bias < Number.POSITIVE_INFINITY);
  if (!areLasting || !areFinite || biasedTokens > Math.min(MAX_BIASES, vocabulary / 2))
    return undefined;
  const kinds = stages.map((stage) => describeStage(stage, vocabulary));
  if (!kinds.every((kind) => kind !== undefined)) return undefined;
  return [`bias ${biasTokens} by ${biasValues}`, `forbid ${forbiddenTokens}`, ...kinds].join("; ");
}

/** Returns whether top-k limits the candidates before any stage that sums over them. */
function hasFewCandidates(stages: readonly SamplerStage[]): boolean {
  const first = stages.findIndex((stage) => stage.type === "top-k" && stage.k <= MAX_CANDIDATES);
  return stages.every(
    ({ type }, index) =>
      (type !== "top-p" && type !== "distribution") || (first >= 0 && first < index),
  );
}

function describeStage(stage: SamplerStage, vocabulary: number): string | undefined {
  const { type } = stage;
  switch (type) {
    case "greedy":
    case "distribution":
      return type;
    case "temperature": {
      const { temperature, range } = stage;
      // With a range, the device computes another temperature than the CPU: it counts excluded
      // candidates in the entropy.
      return temperature >= MIN_TEMPERATURE && range <= 0 ? `${type} ${temperature}` : undefined;
    }
    case "top-k":
      // A `k` above the size of the vocabulary would end the process.
      return stage.k <= Math.min(vocabulary, MAX_CANDIDATES) ? `${type} ${stage.k}` : undefined;
    case "top-p":
      return keepsOne(stage) ? `${type} ${stage.p}` : undefined;
    case "min-p":
      return keepsOne(stage) && stage.p <= MAX_MIN_P ? `${type} ${stage.p}` : undefined;
    case "penalties": {
      const { window, repetition, frequency, presence, history } = stage;
      const isSmall = window <= Math.min(vocabulary, MAX_PENALTY_WINDOW_TOKENS);
      const isKnown = history.every((token) => token >= 0 && token < vocabulary);
      return isSmall && isKnown
        ? `${type} ${window} ${repetition} ${frequency} ${presence}`
        : undefined;
    }
    default:
      return undefined;
  }
}

/** A device keeps at least one candidate; it does not support a higher minimum. */
function keepsOne({ minKeep }: { readonly minKeep: number }): boolean {
  return minKeep <= 1;
}
