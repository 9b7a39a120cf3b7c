import { createRequire } from "node:module";
import type sortedBtree from "sorted-btree";
import type { bulkLoad } from "sorted-btree/extended/bulkLoad.js";

type BTree = typeof sortedBtree.default;

const require = createRequire(import.meta.url);

/**
 * A sorted map whose clones are O(1): they share nodes, and a change copies the path to it. Either
 * side may be changed, and the other does not notice.
 *
 * The library is CommonJS with its class under `default`, which Node's `import` and that of test
 * runners unwrap differently; `require` means the same everywhere.
 */
export const SortedMap: BTree = require("sorted-btree").default;
export type SortedMap<Key, Value> = InstanceType<typeof SortedMap<Key, Value>>;

const {
  bulkLoad: load,
}: { readonly bulkLoad: typeof bulkLoad } = require("sorted-btree/extended/bulkLoad.js");

/** Entries of a node at most: the library's default. */
const NODE_SIZE = 32;

/**
 * A sorted set in O(n).
 * @param keys in strictly ascending order
 */
export function sortedSetOf<Key>(
  keys: readonly Key[],
  compare: (a: Key, b: Key) => number,
): SortedMap<Key, undefined> {
  return load([...keys], new Array<undefined>(keys.length).fill(undefined), NODE_SIZE, compare);
}
