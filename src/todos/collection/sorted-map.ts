import { createRequire } from "node:module";
import type sortedBtree from "sorted-btree";
import type { bulkLoad } from "sorted-btree/extended/bulkLoad.js";

type BTree = typeof sortedBtree.default;

const require = createRequire(import.meta.url);

/**
 * A persistent (copy-on-write) B+ tree whose clones are O(1): they share nodes, and a change copies
 * the path to the leaf. Changes to either tree do not affect the other.
 *
 * The library is CommonJS and exports its class as `default`, which Node and test runners unwrap
 * differently on `import`; `require` behaves the same everywhere.
 */
export const SortedMap: BTree = require("sorted-btree").default;
export type SortedMap<Key, Value> = InstanceType<typeof SortedMap<Key, Value>>;

const {
  bulkLoad: load,
}: { readonly bulkLoad: typeof bulkLoad } = require("sorted-btree/extended/bulkLoad.js");

/** Maximum number of entries per node: the library's default. */
const MAX_NODE_ENTRIES = 32;

/**
 * Builds a sorted set in O(n).
 * @param keys in strictly ascending order
 */
export function createSortedSet<Key>(
  keys: readonly Key[],
  compare: (a: Key, b: Key) => number,
): SortedMap<Key, undefined> {
  return load(
    [...keys],
    new Array<undefined>(keys.length).fill(undefined),
    MAX_NODE_ENTRIES,
    compare,
  );
}
