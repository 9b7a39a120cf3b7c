import { SortedMap } from "./sorted-map.js";

/** Entries whose ids lie in one stretch, in order of the ids. Never changed, only replaced. */
export type Block<Entry> = readonly Entry[];

/**
 * Ids of a block: the text of so many items is made anew when one of them changes. Many changes at
 * once fall into as many blocks; and each block is a piece of its own for the system to write.
 */
export const BLOCK_IDS = 64;

/**
 * Entries by id, kept in blocks. A change replaces the block that it falls into and no other, so
 * whatever is derived from a block may be kept for as long as that block is alive.
 */
export class BlockMap<Entry> {
  readonly #idOf: (entry: Entry) => number;
  readonly #blocks: SortedMap<number, Block<Entry>>;

  /** @param entries in any order; of two with one id the later is kept */
  static of<Entry>(idOf: (entry: Entry) => number, entries: Iterable<Entry>): BlockMap<Entry> {
    const blocks = new SortedMap<number, Entry[]>(undefined, ascending);
    const sorted = [...new Map(Array.from(entries, (entry) => [idOf(entry), entry])).values()];
    sorted.sort((a, b) => idOf(a) - idOf(b));
    for (const entry of sorted) {
      const number = blockNumber(idOf(entry));
      const block = blocks.get(number);
      if (block === undefined) blocks.set(number, [entry]);
      else block.push(entry);
    }
    return new BlockMap(idOf, blocks);
  }

  private constructor(idOf: (entry: Entry) => number, blocks: SortedMap<number, Block<Entry>>) {
    this.#idOf = idOf;
    this.#blocks = blocks;
  }

  /** O(1); changes to either map leave the other as it is. */
  clone(): BlockMap<Entry> {
    return new BlockMap(this.#idOf, this.#blocks.clone());
  }

  get(id: number): Entry | undefined {
    const block = this.#blocks.get(blockNumber(id)) ?? [];
    const index = this.#indexIn(block, id);
    return this.#isAt(block, index, id) ? block[index] : undefined;
  }

  /** Adds an entry, or puts it in the place of the one with its id. */
  set(entry: Entry): void {
    const id = this.#idOf(entry);
    const block = this.#blocks.get(blockNumber(id)) ?? [];
    const index = this.#indexIn(block, id);
    this.#blocks.set(
      blockNumber(id),
      block.toSpliced(index, this.#isAt(block, index, id) ? 1 : 0, entry),
    );
  }

  delete(id: number): void {
    const block = this.#blocks.get(blockNumber(id)) ?? [];
    const index = this.#indexIn(block, id);
    if (!this.#isAt(block, index, id)) return;
    if (block.length === 1) this.#blocks.delete(blockNumber(id));
    else this.#blocks.set(blockNumber(id), block.toSpliced(index, 1));
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

  /** All blocks, none of them empty, in order of the ids. */
  blocks(): readonly Block<Entry>[] {
    return this.#blocks.valuesArray();
  }

  #isAt(block: Block<Entry>, index: number, id: number): boolean {
    const entry = block[index];
    return entry !== undefined && this.#idOf(entry) === id;
  }

  /** Where an id is or would be: the first index whose entry's id is not below it. */
  #indexIn(block: Block<Entry>, id: number): number {
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

/** Division and not a shift: ids go beyond 32 bits. */
function blockNumber(id: number): number {
  return Math.floor(id / BLOCK_IDS);
}

function ascending(a: number, b: number): number {
  return a - b;
}
