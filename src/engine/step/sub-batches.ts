import type { TokenContext } from "../native/token-context.js";

/** The tokens of one sequence in a batch. */
export interface BatchShare {
  readonly sequenceId: number;
  readonly tokens: number;
}

/**
 * Counts the sub-batches, that is passes over the weights, that llama.cpp splits a batch into. In the
 * unified layout they take tokens in their order (`split_simple` in its `llama-batch.cpp`).
 * @param shares in ascending sequence id
 */
export function countSubBatches(
  shares: readonly BatchShare[],
  { subBatchSize, layout }: Pick<TokenContext, "subBatchSize" | "layout">,
): number {
  if (layout.kind === "split") return countEqualSplits(shares, subBatchSize);
  return Math.ceil(shares.reduce((sum, { tokens }) => sum + tokens, 0) / subBatchSize);
}

/**
 * In the split layout a sub-batch takes equally many tokens of sequences with consecutive ids: as many
 * as the sequence with the fewest has left (`split_equal`).
 */
function countEqualSplits(shares: readonly BatchShare[], maxTokens: number): number {
  let left = shares.filter(({ tokens }) => tokens > 0);
  let passes = 0;
  for (; left.length > 0; passes++) {
    const first = left[0]?.sequenceId ?? 0;
    const gap = left.findIndex(({ sequenceId }, index) => sequenceId !== first + index);
    const group = left.slice(0, Math.min(gap < 0 ? left.length : gap, maxTokens));
    const fewest = Math.min(...group.map(({ tokens }) => tokens));
    const each = Math.min(fewest, Math.max(1, Math.floor(maxTokens / group.length)));
    const rest = group.map((share) => ({ ...share, tokens: share.tokens - each }));
    left = [...rest, ...left.slice(group.length)].filter(({ tokens }) => tokens > 0);
  }
  return passes;
}
