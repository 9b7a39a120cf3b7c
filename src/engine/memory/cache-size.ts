import assert from "node:assert/strict";
/** How large a KV cache is. */
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
  /** Whether a cache of a size fits into the memory, with all that is computed beside it. */
  readonly fits: (size: CacheSize) => Promise<boolean>;
}

/** Largest default context: what an agent's conversation takes. Longer ones are configured. */
const MAX_DEFAULT_CONTEXT_TOKENS = 32_768;
/** Fewer slots are preferred to slots shorter than this: an agent's first request is longer. */
export const MIN_USEFUL_CONTEXT_TOKENS = 8192;
/** What a slot has at least, however little memory there is. */
const MIN_CONTEXT_TOKENS = 256;
/** The number of slots that get a long context before there are more of them. */
export const USUAL_SLOTS = 4;
const MAX_DEFAULT_SLOTS = 16;

/**
 * Chooses what is not configured, context first: each of four slots gets the model's context, up to
 * {@link MAX_DEFAULT_CONTEXT_TOKENS}, as far as memory goes. Where four cannot have
 * {@link MIN_USEFUL_CONTEXT_TOKENS} each, there are fewer; where the whole context fits, there are as
 * many more as fit.
 */
export async function chooseCacheSize(question: CacheSizeQuestion): Promise<CacheSize> {
  const { slots, contextSize, trainContextSize, fits } = question;
  if (slots !== undefined && contextSize !== undefined) return { slots, contextSize };
  const maxContextSize =
    contextSize ?? Math.max(1, Math.min(trainContextSize, MAX_DEFAULT_CONTEXT_TOKENS));
  const contextOf = (count: number) => longestContext(count, maxContextSize, fits);
  const slotsOf = (size: number, range: SlotRange) => mostSlots(size, range, fits);
  if (slots !== undefined) return { slots, contextSize: await contextOf(slots) };
  if (contextSize !== undefined) {
    return { slots: await slotsOf(contextSize, { min: 1, max: MAX_DEFAULT_SLOTS }), contextSize };
  }
  const ofUsualSlots = await contextOf(USUAL_SLOTS);
  if (ofUsualSlots === maxContextSize) {
    const range = { min: USUAL_SLOTS, max: MAX_DEFAULT_SLOTS };
    return { slots: await slotsOf(maxContextSize, range), contextSize: maxContextSize };
  }
  if (ofUsualSlots >= MIN_USEFUL_CONTEXT_TOKENS) {
    return { slots: USUAL_SLOTS, contextSize: ofUsualSlots };
  }
  const usefulContextSize = Math.min(maxContextSize, MIN_USEFUL_CONTEXT_TOKENS);
  const fewerSlots = await slotsOf(usefulContextSize, { min: 1, max: USUAL_SLOTS });
  return { slots: fewerSlots, contextSize: await contextOf(fewerSlots) };
}

interface SlotRange {
  readonly min: number;
  readonly max: number;
}

/** The most slots of a context size that fit; the least of the range if none does. */
export async function mostSlots(
  contextSize: number,
  { min, max }: SlotRange,
  fits: CacheSizeQuestion["fits"],
): Promise<number> {
  return largestFitting({ min, max }, (slots) => fits({ slots, contextSize }));
}

/** The longest context, in whole blocks, that fits in each of so many slots; one block at least. */
export async function longestContext(
  slots: number,
  maxContextSize: number,
  fits: CacheSizeQuestion["fits"],
): Promise<number> {
  const sizeOf = (blocks: number) => Math.min(maxContextSize, blocks * MIN_CONTEXT_TOKENS);
  const range = { min: 1, max: Math.ceil(maxContextSize / MIN_CONTEXT_TOKENS) };
  const fitting = await largestFitting(range, (blocks) =>
    fits({ slots, contextSize: sizeOf(blocks) }),
  );
  return sizeOf(fitting);
}

/**
 * The largest number of a range that fits, of something that fits the less the larger it is.
 * @param min is returned if nothing larger fits; it need not fit itself
 * @param max is tried first: often all of it fits
 */
export async function largestFitting(
  { min, max }: { readonly min: number; readonly max: number },
  fits: (count: number) => Promise<boolean>,
): Promise<number> {
  assert(min <= max, `a range from ${min} to ${max}`);
  if (await fits(max)) return max;
  let [low, high] = [min, max];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
