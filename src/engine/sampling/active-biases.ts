import { dryPenalties } from "./dry-penalties.js";
import type { SamplingOptions } from "./sampling-options.js";

/** Logit biases for the next token, by token id; −Infinity forbids a token. */
export function activeBiases(
  { logitBias, dry, forbidden }: SamplingOptions,
  promptTokens: readonly number[],
  generated: readonly number[],
): Map<number, number> {
  const biases = new Map(logitBias);
  const penalties = dry && dryPenalties(dry, promptTokens, generated);
  for (const [token, penalty] of penalties ?? []) {
    biases.set(token, (biases.get(token) ?? 0) - penalty);
  }
  for (const { tokens, until } of forbidden) {
    if (generated.length >= until) continue;
    for (const token of tokens) biases.set(token, Number.NEGATIVE_INFINITY);
  }
  return biases;
}
