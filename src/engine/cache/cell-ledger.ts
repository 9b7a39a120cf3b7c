import assert from "node:assert/strict";

/** The first tokens of a sequence; `length` absent: all of them. */
export interface HeldPart {
  readonly sequenceId: number;
  readonly length?: number;
}

/**
 * Tracks which cells of a unified KV cache each sequence holds. A cell holds the state of one token for all sequences
 * that share it: copying a prefix takes no further cells, and a cell is free when the last sequence has dropped it.
 */
export class CellLedger {
  /** Cells by sequence and position. */
  readonly #cells: readonly number[][];
  /** Number of sequences that hold each cell. */
  readonly #holderCounts: number[] = [];
  readonly #freeCells: number[] = [];

  /** @param sequences their ids are 0 to `sequences` − 1 */
  constructor(sequences: number) {
    this.#cells = Array.from({ length: sequences }, () => []);
  }

  /** Number of cells held by at least one sequence. */
  get usedCells(): number {
    return this.#holderCounts.length - this.#freeCells.length;
  }

  /** Adds `tokens` tokens to a sequence, in new cells. */
  append(sequenceId: number, tokens: number): void {
    const cells = this.#cellsOf(sequenceId);
    for (let count = 0; count < tokens; count++) {
      const cell = this.#freeCells.pop() ?? this.#holderCounts.length;
      this.#holderCounts[cell] = 1;
      cells.push(cell);
    }
  }

  /** Truncates a sequence to its first `length` tokens. */
  truncate(sequenceId: number, length: number): void {
    const cells = this.#cellsOf(sequenceId);
    assert(length <= cells.length, `cannot truncate ${cells.length} cells to ${length}`);
    for (const cell of cells.splice(length)) {
      const holders = (this.#holderCounts[cell] ?? 0) - 1;
      this.#holderCounts[cell] = holders;
      if (holders === 0) this.#freeCells.push(cell);
    }
  }

  /** Makes an empty sequence share all cells of another sequence. */
  share(from: number, to: number): void {
    const cells = this.#cellsOf(to);
    assert(cells.length === 0, `cannot copy to sequence ${to}: it holds ${cells.length} cells`);
    for (const cell of this.#cellsOf(from)) {
      this.#holderCounts[cell] = (this.#holderCounts[cell] ?? 0) + 1;
      cells.push(cell);
    }
  }

  /** Returns the number of cells held by at least one of these parts: the usage if nothing else is kept. */
  countCellsOf(parts: readonly HeldPart[]): number {
    const isHeld = new Uint8Array(this.#holderCounts.length);
    let heldCells = 0;
    for (const { sequenceId, length } of parts) {
      for (const cell of this.#cellsOf(sequenceId).slice(0, length)) {
        if (isHeld[cell] === 0) heldCells++;
        isHeld[cell] = 1;
      }
    }
    return heldCells;
  }

  #cellsOf(sequenceId: number): number[] {
    const cells = this.#cells[sequenceId];
    if (cells === undefined) throw new RangeError(`there is no sequence ${sequenceId}`);
    return cells;
  }
}
