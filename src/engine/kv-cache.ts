/** Types that keys and values can be kept in, with the bytes of one number. */
export const kvCacheTypes = {
  f32: 4,
  f16: 2,
  bf16: 2,
  q8_0: 34 / 32,
  q5_1: 24 / 32,
  q5_0: 22 / 32,
  q4_1: 20 / 32,
  q4_0: 18 / 32,
} as const;

export type KvCacheType = keyof typeof kvCacheTypes;

/** What of a model's shape the KV cache depends on. */
export interface AttentionShape {
  /** Key and value heads of each layer. */
  readonly kvHeads: readonly number[];
  /** Numbers in a key of one head. */
  readonly keyLength: number;
  readonly valueLength: number;
}

/**
 * Bytes that one token of one sequence takes in the KV cache. Models with sliding windows or
 * recurrent layers need less.
 */
export function kvBytesPerToken(shape: AttentionShape, type: KvCacheType): number {
  const heads = shape.kvHeads.reduce((sum, count) => sum + count, 0);
  return heads * (shape.keyLength + shape.valueLength) * kvCacheTypes[type];
}

/** Context of a slot when none is asked for: few conversations are longer. */
const MOST_TOKENS = 4096;
const LEAST_TOKENS = 256;
/** Share of the free memory that a cache takes when nobody said how large it may be. */
const MOST_OF_FREE_MEMORY = 0.5;

/**
 * Tokens of a slot when none are asked for: what the model was trained with, within a usual length
 * and half of the free memory.
 */
export function chooseContextSize({
  trainContextSize,
  slots,
  bytesPerToken,
  freeBytes,
}: {
  readonly trainContextSize: number;
  readonly slots: number;
  readonly bytesPerToken: number;
  readonly freeBytes: number;
}): number {
  const wanted = Math.min(trainContextSize, MOST_TOKENS);
  const affordable = Math.floor(
    (freeBytes * MOST_OF_FREE_MEMORY) / Math.max(1, slots * bytesPerToken),
  );
  return Math.min(wanted, Math.max(LEAST_TOKENS, affordable));
}
