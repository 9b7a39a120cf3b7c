import assert from "node:assert/strict";

/** The first tokens of a sequence; `length` absent: all of them. */
export interface HeldPart {
  readonly sequenceId: number;
  readonly length?: number;
}

/**
 * Which cells of a unified cache each sequence holds. A cell holds the state of one token, for all
 * sequences that share it: copying a prefix takes no further cells, and a cell is free when the last
 * sequence has dropped it.
 */
export class CellLedger {
  /** Cells by sequence and position. */
  readonly #cells: readonly number[][];
  /** By cell: how many sequences hold it. */
  readonly #holders: number[] = [];
  readonly #free: number[] = [];

  /** @param sequences their ids are 0 to `sequences` − 1 */
  constructor(sequences: number) {
    this.#cells = Array.from({ length: sequences }, () => []);
  }

  /** Cells that are held by at least one sequence. */
  get used(): number {
    return this.#holders.length - this.#free.length;
  }

  /** A sequence holds so many more tokens, in cells of its own. */
  append(sequenceId: number, tokens: number): void {
    const cells = this.#of(sequenceId);
    for (let count = 0; count < tokens; count++) {
      const cell = this.#free.pop() ?? this.#holders.length;
      this.#holders[cell] = 1;
      cells.push(cell);
    }
  }

  /** A sequence holds its first `length` tokens only. */
  truncate(sequenceId: number, length: number): void {
    const cells = this.#of(sequenceId);
    assert(length <= cells.length, `${cells.length} cells truncated to ${length}`);
    for (const cell of cells.splice(length)) {
      const holders = (this.#holders[cell] ?? 0) - 1;
      this.#holders[cell] = holders;
      if (holders === 0) this.#free.push(cell);
    }
  }

  /** An empty sequence holds all that another one holds, in the same cells. */
  share(from: number, to: number): void {
    const cells = this.#of(to);
    assert(cells.length === 0, `sequence ${to} holds ${cells.length} cells, and is copied to`);
    for (const cell of this.#of(from)) {
      this.#holders[cell] = (this.#holders[cell] ?? 0) + 1;
      cells.push(cell);
    }
  }

  /** Cells that are held by at least one of these parts: what is used when nothing else is kept. */
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
