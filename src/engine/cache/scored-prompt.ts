import type { PreparedGeneration } from "../text/prompt/prepared-generation.js";

/**
 * Whether a generation reports the log-probabilities of its prompt's tokens. It evaluates all of them itself:
 * a prefix in the cache has no logits.
 */
export function isPromptScored({
  choice = 0,
  scoredTokens,
  topLogProbabilities,
}: Pick<PreparedGeneration, "choice" | "scoredTokens" | "topLogProbabilities">): boolean {
  return topLogProbabilities !== undefined && scoredTokens === "all" && choice === 0;
}
