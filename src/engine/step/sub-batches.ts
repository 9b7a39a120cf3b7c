/** The tokens of one sequence in a batch. */
export interface BatchShare {
  readonly sequenceId: number;
  readonly tokens: number;
}

/**
 * Counts the sub-batches, that is passes over the weights, that llama.cpp splits a batch into. A
 * sub-batch takes equally many tokens of sequences with consecutive ids: as many as the sequence with
 * the fewest has left (`split_equal` in its `llama-batch.cpp`, for a KV cache with one stream per
 * sequence).
 * @param shares in ascending sequence id
 * @param maxTokens capacity of one sub-batch
 */
export function countSubBatches(shares: readonly BatchShare[], maxTokens: number): number {
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
