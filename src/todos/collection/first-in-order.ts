import type { Compare } from "./todo-order.js";

/** Candidates held beyond `count`: spreads the cost of a sort over some hundreds of items. */
const SPARE_CANDIDATES = 512;

/**
 * The first `count` items in the order of `compare`, without sorting all of them: most items cost
 * one comparison, and at most `count` and a constant number more are held.
 */
export function firstInOrder<Item>(
  items: Iterable<Item>,
  count: number,
  compare: Compare<Item>,
): readonly Item[] {
  const candidates: Item[] = [];
  let cutoff: Item | undefined;
  for (const item of items) {
    if (cutoff !== undefined && compare(item, cutoff) >= 0) continue;
    candidates.push(item);
    if (candidates.length < count + SPARE_CANDIDATES) continue;
    keepFirst();
    cutoff = candidates.at(-1);
  }
  keepFirst();
  return candidates;

  function keepFirst(): void {
    candidates.sort(compare);
    candidates.length = Math.min(candidates.length, count);
  }
}
