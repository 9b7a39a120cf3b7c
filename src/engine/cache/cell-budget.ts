import type { CacheLayout } from "../native/token-context.js";
import type { HeldPart } from "./cell-ledger.js";
import type { SequenceRecord, SequenceRecords } from "./sequence-records.js";

/**
 * What room there is in the cells of a unified cache. What is held and what is promised never exceeds
 * them, so that no batch finds the cache full. In the split layout there is always room: a prompt that
 * exceeds its stream is refused before.
 */
export class CellBudget {
  readonly #layout: CacheLayout;
  readonly #records: SequenceRecords;

  constructor(layout: CacheLayout, records: SequenceRecords) {
    this.#layout = layout;
    this.#records = records;
  }

  /** Cells that are neither held nor promised; negative while room is being made. */
  get spareCells(): number {
    if (this.#layout.kind === "split") return Number.POSITIVE_INFINITY;
    const { promisedCells, usedCells } = this.#records;
    return this.#layout.cells - usedCells - promisedCells;
  }

  /** Whether the next prompt of a usual length is going to evict something. */
  get isTight(): boolean {
    if (this.#layout.kind === "split") return false;
    return this.spareCells < this.#layout.cells / this.#records.all.length;
  }

  /** Whether so many cells can be promised when all idle sequences but `kept` are emptied. */
  hasRoom(cells: number, kept: readonly HeldPart[] = []): boolean {
    if (this.spareCells >= cells) return true;
    if (this.#layout.kind === "split") return true;
    const busy = this.#records.all.filter(({ status }) => status === "busy");
    const used = this.#records.cellsOf([...busy.map(({ id }) => ({ sequenceId: id })), ...kept]);
    return used + this.#records.promisedCells + cells <= this.#layout.cells;
  }

  /** The idle sequence that is emptied first: the least recently used. */
  get nextEvicted(): SequenceRecord | undefined {
    return this.#records.all
      .filter(({ status, held }) => status === "idle" && held.cells.length > 0)
      .toSorted((a, b) => a.lastUsed - b.lastUsed)[0];
  }
}
