import type { CacheLayout } from "../native/token-context.js";
import type { HeldPart } from "./cell-ledger.js";
import { findSpareSequence } from "./sequence-placement.js";
import type { SequenceRecord, SequenceRecords } from "./sequence-records.js";

/**
 * Accounts for the cells of a unified KV cache. Held and reserved cells never exceed the total, so no batch finds the
 * cache full. In the split layout there is always room, because a prompt that exceeds its stream is rejected earlier.
 */
export class CellBudget {
  readonly #layout: CacheLayout;
  readonly #records: SequenceRecords;

  constructor(layout: CacheLayout, records: SequenceRecords) {
    this.#layout = layout;
    this.#records = records;
  }

  /** Number of cells that are neither held nor reserved; negative while room is being made. */
  get spareCells(): number {
    if (this.#layout.kind === "split") return Number.POSITIVE_INFINITY;
    const { promisedCells, usedCells } = this.#records;
    return this.#layout.cells - usedCells - promisedCells;
  }

  /** Whether the next prompt of average length will evict a prefix. */
  get isTight(): boolean {
    if (this.#layout.kind === "split") return false;
    return this.spareCells < this.#layout.cells / this.#records.all.length;
  }

  /** Whether `cells` more cells can be reserved if all idle sequences except `kept` are emptied. */
  hasRoom(cells: number, keptParts: readonly HeldPart[] = []): boolean {
    if (this.spareCells >= cells) return true;
    if (this.#layout.kind === "split") return true;
    const busyRecords = this.#records.all.filter(({ status }) => status === "busy");
    const heldCells = this.#records.cellsOf([
      ...busyRecords.map(({ id }) => ({ sequenceId: id })),
      ...keptParts,
    ]);
    return heldCells + this.#records.promisedCells + cells <= this.#layout.cells;
  }

  /** The idle sequence to evict first. */
  get evictionCandidate(): SequenceRecord | undefined {
    return findSpareSequence(this.#records.all.filter(({ contents }) => contents.cells.length > 0));
  }
}
