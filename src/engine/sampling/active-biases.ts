import type { SamplingOptions } from "./sampling-options.js";

/** Logit biases for the next token, by token id; −Infinity forbids a token. */
export function activeBiases(
  { logitBias, forbidden, forbiddenUntil }: SamplingOptions,
  generatedTokens: number,
): Map<number, number> {
  const biases = new Map(logitBias);
  if (generatedTokens < forbiddenUntil) {
    for (const token of forbidden) biases.set(token, Number.NEGATIVE_INFINITY);
  }
  return biases;
}
