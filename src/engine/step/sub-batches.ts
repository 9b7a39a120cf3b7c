/** How many tokens of a sequence a batch holds. */
export interface BatchShare {
  readonly sequenceId: number;
  readonly tokens: number;
}

/**
 * Into how many passes over the weights llama.cpp cuts a batch: a pass takes equally many tokens of
 * sequences with consecutive ids, as many as the one with the fewest has left (`split_equal` in its
 * `llama-batch.cpp`, for a KV cache with a stream for each sequence).
 * @param shares in ascending sequence id
 * @param largest tokens of the largest pass
 */
export function countSubBatches(shares: readonly BatchShare[], largest: number): number {
  let left = shares.filter(({ tokens }) => tokens > 0);
  let passes = 0;
  for (; left.length > 0; passes++) {
    const first = left[0]?.sequenceId ?? 0;
    const gap = left.findIndex(({ sequenceId }, index) => sequenceId !== first + index);
    const group = left.slice(0, Math.min(gap < 0 ? left.length : gap, largest));
    const fewest = Math.min(...group.map(({ tokens }) => tokens));
    const each = Math.min(fewest, Math.max(1, Math.floor(largest / group.length)));
    const rest = group.map((share) => ({ ...share, tokens: share.tokens - each }));
    left = [...rest, ...left.slice(group.length)].filter(({ tokens }) => tokens > 0);
  }
  return passes;
}
