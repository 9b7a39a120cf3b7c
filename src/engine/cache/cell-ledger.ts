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
  readonly #holders: number[] = [];
  readonly #free: number[] = [];

  /** @param sequences their ids are 0 to `sequences` − 1 */
  constructor(sequences: number) {
    this.#cells = Array.from({ length: sequences }, () => []);
  }

  /** Number of cells held by at least one sequence. */
  get used(): number {
    return this.#holders.length - this.#free.length;
  }

  /** Adds `tokens` tokens to a sequence, in new cells. */
  append(sequenceId: number, tokens: number): void {
    const cells = this.#of(sequenceId);
    for (let count = 0; count < tokens; count++) {
      const cell = this.#free.pop() ?? this.#holders.length;
      this.#holders[cell] = 1;
      cells.push(cell);
    }
  }

  /** Truncates a sequence to its first `length` tokens. */
  truncate(sequenceId: number, length: number): void {
    const cells = this.#of(sequenceId);
    assert(length <= cells.length, `cannot truncate ${cells.length} cells to ${length}`);
    for (const cell of cells.splice(length)) {
      const holders = (this.#holders[cell] ?? 0) - 1;
      this.#holders[cell] = holders;
      if (holders === 0) this.#free.push(cell);
    }
  }

  /** Makes an empty sequence share all cells of another sequence. */
  share(from: number, to: number): void {
    const cells = this.#of(to);
    assert(cells.length === 0, `cannot copy to sequence ${to}: it holds ${cells.length} cells`);
    for (const cell of this.#of(from)) {
      this.#holders[cell] = (this.#holders[cell] ?? 0) + 1;
      cells.push(cell);
    }
  }

  /** Returns the number of cells held by at least one of these parts: the usage if nothing else is kept. */
  usedBy(parts: readonly HeldPart[]): number {
    const isHeld = new Uint8Array(this.#holders.length);
    let held = 0;
    for (const { sequenceId, length } of parts) {
      for (const cell of this.#of(sequenceId).slice(0, length)) {
        if (isHeld[cell] === 0) held++;
        isHeld[cell] = 1;
      }
    }
    return held;
  }

  #of(sequenceId: number): number[] {
    const cells = this.#cells[sequenceId];
    if (cells === undefined) throw new RangeError(`there is no sequence ${sequenceId}`);
    return cells;
  }
}
