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

/** Bounds of the default context of a slot, in tokens. */
const MAX_DEFAULT_CONTEXT_TOKENS = 4096;
const MIN_DEFAULT_CONTEXT_TOKENS = 256;
/** Fewer slots are preferred to slots shorter than this. */
const MIN_USEFUL_CONTEXT_TOKENS = 2048;
/** The default number of slots: the usual one, and the largest where memory is plentiful. */
const USUAL_SLOTS = 4;
const MAX_DEFAULT_SLOTS = 16;
/** Largest share of the free memory that a cache of default size takes. */
const MAX_MEMORY_SHARE = 0.5;
/** Share of the free memory that slots beyond the usual number may use. */
const EXTRA_SLOTS_MEMORY_SHARE = 0.25;

/** How a KV cache is divided. */
export interface CacheSize {
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
}

export interface CacheSizeQuestion {
  /** As configured; `undefined`: to be chosen. */
  readonly slots: number | undefined;
  /** Tokens of one slot, as configured; `undefined`: to be chosen. */
  readonly contextSize: number | undefined;
  /** Context that the model was trained with, in tokens. */
  readonly trainContextSize: number;
  readonly bytesPerToken: number;
  readonly freeBytes: number;
}

/**
 * Chooses what is not configured. A slot gets the model's context up to a usual length. There are
 * more slots than usual where memory is plentiful, shorter ones where it is scarce, and fewer where
 * they would be too short; all together take at most half of the free memory.
 */
export function chooseCacheSize(question: CacheSizeQuestion): CacheSize {
  const { trainContextSize, freeBytes } = question;
  const bytesPerToken = Math.max(1, question.bytesPerToken);
  const targetTokens =
    question.contextSize ?? Math.min(trainContextSize, MAX_DEFAULT_CONTEXT_TOKENS);
  const tokensIn = (share: number) => Math.floor((freeBytes * share) / bytesPerToken);
  const extraSlots = Math.floor(tokensIn(EXTRA_SLOTS_MEMORY_SHARE) / targetTokens);
  const usefulSlots = Math.floor(
    tokensIn(MAX_MEMORY_SHARE) / Math.min(targetTokens, MIN_USEFUL_CONTEXT_TOKENS),
  );
  const slots =
    question.slots ??
    Math.max(1, Math.min(MAX_DEFAULT_SLOTS, Math.max(USUAL_SLOTS, extraSlots), usefulSlots));
  const fittingTokens = Math.floor(tokensIn(MAX_MEMORY_SHARE) / slots);
  return {
    slots,
    contextSize:
      question.contextSize ??
      Math.min(targetTokens, Math.max(MIN_DEFAULT_CONTEXT_TOKENS, fittingTokens)),
  };
}
