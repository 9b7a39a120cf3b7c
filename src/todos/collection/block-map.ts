import { SortedMap } from "./sorted-map.js";

/** Entries of one id range, in order of id. Immutable: replaced, never modified. */
export type Block<Entry> = readonly Entry[];

/**
 * Size of a block's id range. A change to one item re-serialises its whole block, and scattered
 * changes touch as many blocks; each block is also a separate buffer of the vectored write.
 */
export const IDS_PER_BLOCK = 64;

/**
 * A persistent (copy-on-write) map of entries by id, kept in blocks. A change replaces only the
 * block that contains the id, so whatever is derived from a block may be cached for the block's
 * lifetime.
 */
export class BlockMap<Entry> {
  readonly #idOf: (entry: Entry) => number;
  readonly #blocks: SortedMap<number, Block<Entry>>;

  /** @param entries in any order; of two with the same id the later one is kept */
  static of<Entry>(idOf: (entry: Entry) => number, entries: Iterable<Entry>): BlockMap<Entry> {
    const blocks = new SortedMap<number, Entry[]>(undefined, compareAscending);
    const sorted = [...new Map(Array.from(entries, (entry) => [idOf(entry), entry])).values()];
    sorted.sort((a, b) => idOf(a) - idOf(b));
    for (const entry of sorted) {
      const blockNumber = blockNumberOf(idOf(entry));
      const block = blocks.get(blockNumber);
      if (block === undefined) blocks.set(blockNumber, [entry]);
      else block.push(entry);
    }
    return new BlockMap(idOf, blocks);
  }

  private constructor(idOf: (entry: Entry) => number, blocks: SortedMap<number, Block<Entry>>) {
    this.#idOf = idOf;
    this.#blocks = blocks;
  }

  /** O(1); changes to either map do not affect the other. */
  clone(): BlockMap<Entry> {
    return new BlockMap(this.#idOf, this.#blocks.clone());
  }

  get(id: number): Entry | undefined {
    const block = this.#blocks.get(blockNumberOf(id)) ?? [];
    const index = this.#findLowerBound(block, id);
    return this.#isAt(block, index, id) ? block[index] : undefined;
  }

  /** Adds an entry, or replaces the one with its id. */
  set(entry: Entry): void {
    const id = this.#idOf(entry);
    const block = this.#blocks.get(blockNumberOf(id)) ?? [];
    const index = this.#findLowerBound(block, id);
    this.#blocks.set(
      blockNumberOf(id),
      block.toSpliced(index, this.#isAt(block, index, id) ? 1 : 0, entry),
    );
  }

  delete(id: number): void {
    const block = this.#blocks.get(blockNumberOf(id)) ?? [];
    const index = this.#findLowerBound(block, id);
    if (!this.#isAt(block, index, id)) return;
    if (block.length === 1) this.#blocks.delete(blockNumberOf(id));
    else this.#blocks.set(blockNumberOf(id), block.toSpliced(index, 1));
  }

  /** The entry with the lowest id. */
  first(): Entry | undefined {
    const lowest = this.#blocks.minKey();
    return lowest === undefined ? undefined : this.#blocks.get(lowest)?.at(0);
  }

  /** The entry with the highest id. */
  last(): Entry | undefined {
    const highest = this.#blocks.maxKey();
    return highest === undefined ? undefined : this.#blocks.get(highest)?.at(-1);
  }

  /** All blocks in order of id; none is empty. */
  blocks(): readonly Block<Entry>[] {
    return this.#blocks.valuesArray();
  }

  #isAt(block: Block<Entry>, index: number, id: number): boolean {
    const entry = block[index];
    return entry !== undefined && this.#idOf(entry) === id;
  }

  /** Lower bound by binary search: the first index whose entry's id is not below `id`. */
  #findLowerBound(block: Block<Entry>, id: number): number {
    let low = 0;
    let high = block.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = block[middle];
      if (entry !== undefined && this.#idOf(entry) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Division rather than a shift: ids may exceed 32 bits. */
function blockNumberOf(id: number): number {
  return Math.floor(id / IDS_PER_BLOCK);
}

function compareAscending(a: number, b: number): number {
  return a - b;
}
