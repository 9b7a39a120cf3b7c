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

/** The sizes of a model's attention. */
export interface AttentionShape {
  /** Query heads of the layer that has most of them. */
  readonly queryHeads: number;
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
/** A slot with less is of little use: there had better be fewer of them. */
const USEFUL_TOKENS = 2048;
/** Slots when nobody says how many. */
const USUAL_SLOTS = 4;
const MOST_SLOTS = 16;
/** Share of the free memory that a cache takes when nobody says how large it may be. */
const MOST_OF_FREE_MEMORY = 0.5;
/** And up to which there are more slots than usual. */
const SPARE_FREE_MEMORY = 0.25;

/** How a KV cache is divided. */
export interface CacheSize {
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
}

export interface CacheSizeQuestion {
  readonly slots: number | undefined;
  readonly contextSize: number | undefined;
  readonly trainContextSize: number;
  readonly bytesPerToken: number;
  readonly freeBytes: number;
}

/**
 * Completes what was asked for. A slot gets what the model was trained with, within a usual length;
 * there are more slots than usual where memory abounds, shorter ones where it is scarce, and fewer
 * where they would be too short; all of them take half of the free memory at most.
 */
export function chooseCacheSize(question: CacheSizeQuestion): CacheSize {
  const { trainContextSize, freeBytes } = question;
  const bytesPerToken = Math.max(1, question.bytesPerToken);
  const wanted = question.contextSize ?? Math.min(trainContextSize, MOST_TOKENS);
  const affordable = (share: number) => Math.floor((freeBytes * share) / bytesPerToken);
  const slots =
    question.slots ??
    Math.max(
      1,
      Math.min(
        MOST_SLOTS,
        Math.max(USUAL_SLOTS, Math.floor(affordable(SPARE_FREE_MEMORY) / wanted)),
        Math.floor(affordable(MOST_OF_FREE_MEMORY) / Math.min(wanted, USEFUL_TOKENS)),
      ),
    );
  const fitting = Math.floor(affordable(MOST_OF_FREE_MEMORY) / slots);
  return {
    slots,
    contextSize: question.contextSize ?? Math.min(wanted, Math.max(LEAST_TOKENS, fitting)),
  };
}
