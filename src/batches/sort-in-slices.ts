import { setImmediate } from "node:timers/promises";

/** Items sorted per event-loop turn: some milliseconds. */
const SLICE_ITEMS = 2048;

type Compare<Item> = (one: Item, other: Item) => number;

/** Sorts items stably, over several event-loop turns. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: Compare<Item>,
): Promise<readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += SLICE_ITEMS) {
    runs.push(items.slice(start, start + SLICE_ITEMS).toSorted(compare));
    await setImmediate();
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(mergeSorted(runs[index] ?? [], runs[index + 1] ?? [], compare));
      await setImmediate();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists; equal items of the first one come first. */
export function mergeSorted<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: Compare<Item>,
): Item[] {
  const merged: Item[] = [];
  let at = 0;
  for (const item of first) {
    for (; at < second.length; at++) {
      const other = second[at] as Item;
      if (compare(item, other) <= 0) break;
      merged.push(other);
    }
    merged.push(item);
  }
  for (; at < second.length; at++) merged.push(second[at] as Item);
  return merged;
}
