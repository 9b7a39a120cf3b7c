import type { SamplerDescription, SamplerStage } from "./companion/native-companion.js";

/**
 * Candidates that are left to draw from, at most: of more, sums of single precision in another order choose another
 * token for the same random number too often.
 */
const MAX_CANDIDATES = 1024;
const MAX_BIASES = 1024;
/** llama.cpp builds a chain in 2048 nodes to ask a device about it; a stage takes up to 30 of them. */
const MAX_STAGES = 16;
/** A device is told what is penalised with each batch, in a list of this length. */
const MAX_PENALTY_WINDOW_TOKENS = 1024;
/** Near 1, rounding excludes the most probable token as well. */
const MAX_MIN_P = 0.9;
/** Below, what logits become may exceed the largest float. */
const MIN_TEMPERATURE = 1e-3;

/** What bounds the numbers of samplers. */
export interface SamplerLimits {
  /** That a text can have. */
  readonly maxTokens: number;
  /** Number of the vocabulary's tokens. */
  readonly vocabulary: number;
}

/**
 * What the samplers of a generation are where a device runs them (llama.cpp's backend sampling): those that are described
 * by the same text differ by their state alone.
 * @returns `undefined` where llama.cpp cannot run all of them on a device, or not as it runs them on the CPU
 */
export function deviceKindOf(
  { stages, biasTokens, biasValues, forbidden }: Omit<SamplerDescription, "onDevice">,
  { maxTokens, vocabulary }: SamplerLimits,
): string | undefined {
  if (stages.length > MAX_STAGES || !areFew(stages)) return undefined;
  const forbiddenTokens = forbidden.flatMap(({ tokens }) => [...tokens]);
  const biased = biasTokens.length + forbiddenTokens.length;
  // A chain is for a whole text: none of its biases ends.
  const isLasting = forbidden.every(({ until }) => until >= maxTokens);
  const areAdded = biasValues.every((bias) => bias < Number.POSITIVE_INFINITY);
  if (!isLasting || !areAdded || biased > Math.min(MAX_BIASES, vocabulary / 2)) return undefined;
  const kinds = stages.map((stage) => stageKind(stage, vocabulary));
  if (!kinds.every((kind) => kind !== undefined)) return undefined;
  return [`bias ${biasTokens} by ${biasValues}`, `forbid ${forbiddenTokens}`, ...kinds].join("; ");
}

/** Whether no sum is taken over the whole vocabulary. */
function areFew(stages: readonly SamplerStage[]): boolean {
  const first = stages.findIndex((stage) => stage.type === "top-k" && stage.k <= MAX_CANDIDATES);
  return stages.every(
    ({ type }, place) =>
      (type !== "top-p" && type !== "distribution") || (first >= 0 && first < place),
  );
}

function stageKind(stage: SamplerStage, vocabulary: number): string | undefined {
  const { type } = stage;
  switch (type) {
    case "greedy":
    case "distribution":
      return type;
    case "temperature": {
      const { temperature, range } = stage;
      // Of a range it makes another temperature than the CPU: excluded candidates count in the entropy.
      return temperature >= MIN_TEMPERATURE && range <= 0 ? `${type} ${temperature}` : undefined;
    }
    case "top-k":
      // More than there are would end the process.
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

/** A device does not keep more candidates than one. */
function keepsOne({ minKeep }: { readonly minKeep: number }): boolean {
  return minKeep <= 1;
}
