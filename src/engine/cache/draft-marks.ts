import assert from "node:assert/strict";
import type { StateMark, TokenContext } from "../native/token-context.js";

/** A mark, and the number of tokens that the sequence held when it was set. */
interface MarkedLength {
  readonly mark: StateMark;
  readonly length: number;
}

/**
 * Marks of sequence states before a batch with drafts, for models whose rejected drafts cannot be truncated. A mark is
 * kept by sequence until its draft is verified.
 */
export class DraftMarks {
  readonly #context: Pick<TokenContext, "mark">;
  readonly #marks = new Map<number, MarkedLength>();

  constructor(context: Pick<TokenContext, "mark">) {
    this.#context = context;
  }

  /** Marks a sequence that holds `length` tokens. */
  async set(sequenceId: number, length: number): Promise<void> {
    this.#marks.set(sequenceId, { mark: await this.#context.mark(sequenceId), length });
  }

  has(sequenceId: number): boolean {
    return this.#marks.has(sequenceId);
  }

  /**
   * Restores a sequence to its mark.
   * @returns number of tokens that it holds again
   */
  async rewind(sequenceId: number): Promise<number> {
    const markedLength = this.#marks.get(sequenceId);
    assert(markedLength !== undefined, `cannot rewind sequence ${sequenceId}: it has no mark`);
    await markedLength.mark.rewind();
    return markedLength.length;
  }

  /** Frees the mark of a sequence, if there is one. */
  drop(sequenceId: number): void {
    this.#marks.get(sequenceId)?.mark.dispose();
    this.#marks.delete(sequenceId);
  }
}
