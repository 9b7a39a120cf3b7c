/** Element types of the KV cache, with the bytes of one element. */
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

/** The dimensions of a model's attention. */
export interface AttentionShape {
  /** Query heads of the layer that has the most. */
  readonly queryHeads: number;
  /** Key/value heads of each layer. */
  readonly kvHeads: readonly number[];
  /** Elements of one head's key. */
  readonly keyLength: number;
  readonly valueLength: number;
}

/**
 * Bytes of one token of one sequence in the KV cache: an upper bound for models with sliding windows
 * or recurrent layers.
 */
export function kvBytesPerToken(shape: AttentionShape, type: KvCacheType): number {
  const heads = shape.kvHeads.reduce((sum, count) => sum + count, 0);
  return heads * (shape.keyLength + shape.valueLength) * kvCacheTypes[type];
}
