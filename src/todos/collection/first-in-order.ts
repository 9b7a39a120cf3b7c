import type { Compare } from "./todo-order.js";

/** Items held beside those that are asked for: sorting some hundreds at once is cheap for each. */
const ROOM = 512;

/**
 * The first `count` items in the order of `compare`, without sorting all of them: most cost one
 * comparison, and only some are held.
 */
export function least<Item>(
  items: Iterable<Item>,
  count: number,
  compare: Compare<Item>,
): readonly Item[] {
  const kept: Item[] = [];
  let last: Item | undefined;
  for (const item of items) {
    if (last !== undefined && compare(item, last) >= 0) continue;
    kept.push(item);
    if (kept.length < count + ROOM) continue;
    shorten();
    last = kept.at(-1);
  }
  shorten();
  return kept;

  function shorten(): void {
    kept.sort(compare);
    kept.length = Math.min(kept.length, count);
  }
}
