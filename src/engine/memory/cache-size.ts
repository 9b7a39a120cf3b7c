import assert from "node:assert/strict";
/** Size of a KV cache. */
export interface CacheSize {
  readonly slots: number;
  /** Tokens per slot. */
  readonly contextSize: number;
}

export interface CacheSizeInput {
  /** Configured number of slots; `undefined` to choose it. */
  readonly slots: number | undefined;
  /** Configured tokens per slot; `undefined` to choose them. */
  readonly contextSize: number | undefined;
  /** Training context of the model, in tokens. */
  readonly trainContextSize: number;
  /** Returns whether a cache of a size fits into memory together with the compute buffers. */
  readonly fits: (size: CacheSize) => Promise<boolean>;
}

/** Largest default context, enough for an agent's conversation. Longer ones must be configured. */
const MAX_DEFAULT_CONTEXT_TOKENS = 32_768;
/**
 * Minimum context for which another slot is added, since an agent's first request is about this
 * long.
 */
export const MIN_USEFUL_CONTEXT_TOKENS = 8192;
/** Minimum context of a slot, however little memory there is. */
const MIN_CONTEXT_TOKENS = 256;
/** Number of slots that get a long context before more are added. */
export const USUAL_SLOTS = 4;
const MAX_DEFAULT_SLOTS = 16;

/**
 * Chooses the sizes that are not configured. Context comes first: each of four slots gets the
 * model's context, up to {@link MAX_DEFAULT_CONTEXT_TOKENS}, as far as memory permits. If four
 * slots cannot have {@link MIN_USEFUL_CONTEXT_TOKENS} each, there are fewer; if they can have the
 * whole context, there are as many more as fit.
 */
export async function chooseCacheSize(input: CacheSizeInput): Promise<CacheSize> {
  const { slots, contextSize, trainContextSize, fits } = input;
  if (slots !== undefined && contextSize !== undefined) return { slots, contextSize };
  const maxContextSize =
    contextSize ?? Math.max(1, Math.min(trainContextSize, MAX_DEFAULT_CONTEXT_TOKENS));
  const findContext = (count: number) => findLongestContext(count, maxContextSize, fits);
  const findSlots = (size: number, range: SlotRange) => findMostSlots(size, range, fits);
  if (slots !== undefined) return { slots, contextSize: await findContext(slots) };
  if (contextSize !== undefined) {
    return { slots: await findSlots(contextSize, { min: 1, max: MAX_DEFAULT_SLOTS }), contextSize };
  }
  const usualContextSize = await findContext(USUAL_SLOTS);
  if (usualContextSize === maxContextSize) {
    const range = { min: USUAL_SLOTS, max: MAX_DEFAULT_SLOTS };
    return { slots: await findSlots(maxContextSize, range), contextSize: maxContextSize };
  }
  if (usualContextSize >= MIN_USEFUL_CONTEXT_TOKENS) {
    return { slots: USUAL_SLOTS, contextSize: usualContextSize };
  }
  const usefulContextSize = Math.min(maxContextSize, MIN_USEFUL_CONTEXT_TOKENS);
  const fewerSlots = await findSlots(usefulContextSize, { min: 1, max: USUAL_SLOTS });
  return { slots: fewerSlots, contextSize: await findContext(fewerSlots) };
}

interface SlotRange {
  readonly min: number;
  readonly max: number;
}

/**
 * Returns the largest number of slots of a context size that fits, or the range's minimum if none
 * does.
 */
export async function findMostSlots(
  contextSize: number,
  { min, max }: SlotRange,
  fits: CacheSizeInput["fits"],
): Promise<number> {
  return findLargestFitting({ min, max }, (slots) => fits({ slots, contextSize }));
}

/**
 * Returns the longest context, in whole blocks, that fits in each of the slots; at least one block.
 */
export async function findLongestContext(
  slots: number,
  maxContextSize: number,
  fits: CacheSizeInput["fits"],
): Promise<number> {
  const sizeOf = (blocks: number) => Math.min(maxContextSize, blocks * MIN_CONTEXT_TOKENS);
  const range = { min: 1, max: Math.ceil(maxContextSize / MIN_CONTEXT_TOKENS) };
  const blockCount = await findLargestFitting(range, (blocks) =>
    fits({ slots, contextSize: sizeOf(blocks) }),
  );
  return sizeOf(blockCount);
}

/**
 * Finds the largest number in a range that fits by bisection; a number must fit if a larger one
 * does.
 * @param min returned if nothing larger fits; not checked itself
 * @param max tried first, as it often fits
 */
export async function findLargestFitting(
  { min, max }: { readonly min: number; readonly max: number },
  fits: (count: number) => Promise<boolean>,
): Promise<number> {
  assert(min <= max, `invalid range: ${min} to ${max}`);
  if (await fits(max)) return max;
  let [low, high] = [min, max];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
