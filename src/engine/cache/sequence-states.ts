import assert from "node:assert/strict";
import type { TokenContext } from "../native/token-context.js";
import type { CellBudget } from "./cell-budget.js";
import type { DraftMarks } from "./draft-marks.js";
import { computePosition, createEmptyIdentity } from "./prompt-identity.js";
import type { SavableState, SavedStates } from "./saved-states.js";
import type { StoredState } from "./sequence-placement.js";
import type { SequenceRecords } from "./sequence-records.js";

export interface SequenceStatesOptions {
  readonly context: TokenContext;
  readonly records: SequenceRecords;
  readonly budget: CellBudget;
  readonly marks: DraftMarks;
  readonly saved: SavedStates;
}

/**
 * Keeps the records of sequences and llama.cpp's KV cache consistent: every native truncation, copy and restore of a
 * sequence happens here.
 */
export class SequenceStates {
  readonly #context: TokenContext;
  readonly #records: SequenceRecords;
  readonly #budget: CellBudget;
  readonly #marks: DraftMarks;
  readonly #saved: SavedStates;
  /** Ids of the sources and targets of pending copies; llama.cpp carries the copies out with the next batch. */
  readonly #copyingIds = new Set<number>();
  #evicted = 0;

  constructor({ context, records, budget, marks, saved }: SequenceStatesOptions) {
    this.#context = context;
    this.#records = records;
    this.#budget = budget;
    this.#marks = marks;
    this.#saved = saved;
  }

  /** Number of prefixes that were evicted. */
  get evictions(): number {
    return this.#evicted;
  }

  /** Counts a prefix that is overwritten by a prompt in its own sequence. */
  noteEvicted(): void {
    this.#evicted++;
  }

  /** Whether copies are pending until the next batch. */
  get hasPendingCopies(): boolean {
    return this.#copyingIds.size > 0;
  }

  /** Whether a copy from or to the sequence is pending. */
  isCopying(id: number): boolean {
    return this.#copyingIds.has(id);
  }

  /** Records that a batch was evaluated, which has carried out all pending copies. */
  noteBatch(): void {
    this.#copyingIds.clear();
  }

  /** Empties a sequence and takes it out of use until its cells are overwritten. */
  markDirty(id: number): void {
    this.empty(id);
    this.#records.markDirty(id);
  }

  /** Whether cells hold values that other sequences must not read. */
  get hasDirtyCells(): boolean {
    return this.#records.all.some(({ status }) => status === "dirty");
  }

  /** Overwrites all cells, if some are dirty and no sequence is busy; no prefix is held afterwards. */
  clean(): void {
    if (!this.hasDirtyCells || this.#records.all.some(({ status }) => status === "busy")) return;
    this.#context.clear();
    this.#records.clear();
  }

  /** Ends a lease, if there is one, and empties the sequence. One that cannot be emptied is not used again. */
  empty(id: number): void {
    this.#marks.drop(id);
    this.#records.replace(id, createEmptyIdentity());
    this.#records.vacate(id);
    try {
      this.#context.truncate(id, 0);
    } catch {
      this.#records.disable(id);
    }
  }

  /** Evicts idle prefixes until `cells` cells are neither held nor reserved. */
  async makeRoom(cells: number): Promise<void> {
    while (this.#budget.spareCells < cells) {
      const victim = this.#budget.evictionCandidate;
      assert(victim !== undefined, "more cells are reserved than exist");
      await this.evict(victim);
    }
  }

  /**
   * Evicts all prefixes if no other sequence is busy. In the unified layout, the free cells determine the cells of a
   * prompt, and thereby the order of summation in attention.
   */
  async freeCells(leasedId: number): Promise<void> {
    if (this.#context.layout.kind === "split") return;
    const others = this.#records.all.filter(({ id }) => id !== leasedId);
    if (others.some(({ status }) => status === "busy")) return;
    for (const record of others) if (record.contents.cells.length > 0) await this.evict(record);
  }

  /** Empties an idle sequence; saves its state first if that is worthwhile. */
  async evict(record: SavableState): Promise<void> {
    await this.#saved.saveIfWorthwhile(record, 0);
    this.empty(record.id);
    this.#evicted++;
  }

  /**
   * Whether a copy of the sequence is pending and a batch will carry it out; until then the sequence cannot be
   * restored.
   */
  mustWaitForCopy(id: number): boolean {
    const isBatchComing = this.#records.all.some(({ status }) => status === "busy");
    return this.#copyingIds.has(id) && isBatchComing;
  }

  /** Copies the state of a sequence to another; in the split layout the copy takes place with the next batch. */
  async copy(from: number, to: number): Promise<void> {
    const isUnified = this.#context.layout.kind === "unified";
    if (isUnified) this.truncate(to, 0);
    await this.#context.copy(from, to);
    if (!isUnified) this.#copyingIds.add(from).add(to);
    this.#records.copy(from, to);
  }

  /**
   * Reads a saved state into a leased sequence. Leaves the sequence empty if the state cannot be read; the prompt is
   * then evaluated.
   * @returns whether the sequence can be used; if not, its lease has ended
   */
  async restore(from: StoredState, to: number): Promise<boolean> {
    if (this.#context.layout.kind === "unified") {
      this.truncate(to, 0);
      await this.makeRoom(0);
    }
    const restoration = this.#copyingIds.has(to)
      ? "untouched"
      : await this.#saved.restore(from, to);
    if (restoration === "undefined-cells") {
      this.markDirty(to);
      return false;
    }
    if (restoration === "restored") {
      this.#records.replace(to, from.prompt, from.owners);
    } else {
      this.#forget(to);
    }
    return true;
  }

  /** Keeps the first `length` tokens of a sequence. */
  truncate(id: number, length: number): void {
    if (length === this.#records.get(id).contents.cells.length) return;
    this.#records.truncate(id, length);
    this.#context.truncate(id, computePosition(this.#records.get(id).contents, length));
  }

  /** Removes the evaluated cells of a partially evaluated image. Empties the sequence if it cannot be truncated. */
  removePartialMedia(id: number): void {
    const { partialMediaCells, contents } = this.#records.get(id);
    if (partialMediaCells === 0) return;
    if (this.#context.partialTruncation === "unsupported") this.#forget(id);
    else this.#context.truncate(id, computePosition(contents, contents.cells.length));
    this.#records.notePartialMediaRemoved(id);
  }

  #forget(id: number): void {
    this.#context.truncate(id, 0);
    this.#records.replace(id, createEmptyIdentity());
  }
}
