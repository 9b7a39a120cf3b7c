import assert from "node:assert/strict";
import { createRefusal, GgufdError } from "../../core/errors.js";
import type { TokenContext } from "../native/token-context.js";
import type { CellBudget } from "./cell-budget.js";
import { areEqual } from "./common-prefix.js";
import type { PromptIdentity } from "./prompt-identity.js";
import type { SavedStates } from "./saved-states.js";
import type { SequenceRecords } from "./sequence-records.js";
import type { SequenceStates } from "./sequence-states.js";

export interface SlotStatesOptions {
  readonly context: TokenContext;
  readonly records: SequenceRecords;
  readonly budget: CellBudget;
  readonly saved: SavedStates;
  readonly states: SequenceStates;
}

/** Slot operations of the operator (save, restore, erase), on sequences without a generation. */
export class SlotStates {
  readonly #context: TokenContext;
  readonly #records: SequenceRecords;
  readonly #budget: CellBudget;
  readonly #saved: SavedStates;
  readonly #states: SequenceStates;

  constructor({ context, records, budget, saved, states }: SlotStatesOptions) {
    this.#context = context;
    this.#records = records;
    this.#budget = budget;
    this.#saved = saved;
    this.#states = states;
  }

  /** Number of sequences. */
  get slots(): number {
    return this.#records.all.length;
  }

  /** Returns the tokens and media that a sequence holds. */
  contentsOf(id: number): PromptIdentity {
    return this.#records.get(id).contents;
  }

  /**
   * Returns whether {@link write}, {@link load} and {@link erase} can be called for a sequence. `at-rest`: yes;
   * `in-use`: not before another batch; `lost`: never again.
   */
  useOf(id: number): "at-rest" | "in-use" | "lost" {
    this.#states.clean();
    const { status } = this.#records.get(id);
    if (status === "lost") return "lost";
    return status === "idle" && !this.#states.mustWaitForCopy(id) ? "at-rest" : "in-use";
  }

  /**
   * Writes the state of a sequence at rest to a file.
   * @returns the size of the file in bytes
   */
  async write(id: number, path: string): Promise<number> {
    this.#assertAccessible(id);
    return this.#context.save(id, this.contentsOf(id).cells, path);
  }

  /**
   * Replaces the state of a sequence at rest with the state in a file, and marks the sequence as most recently used.
   * @throws {GgufdError} `server_overloaded` if there is currently no room for its tokens, `invalid_request` if there
   * never is
   */
  async load(
    id: number,
    { path, prompt }: { readonly path: string; readonly prompt: PromptIdentity },
  ): Promise<void> {
    this.#assertAccessible(id);
    const tokens = prompt.cells.length;
    const context = this.#context;
    if (context.layout.kind === "unified" && tokens > context.layout.cells) {
      throw createSizeError(tokens);
    }
    if (!this.#budget.hasRoom(tokens)) throw createBusyError(id, "has no room for it");
    await this.#saved.saveIfWorthwhile(this.#records.get(id), 0);
    const lease = this.#records.occupy(id, {
      prompt,
      checkpoints: [],
      reservedTokens: tokens,
    });
    try {
      this.#states.truncate(id, 0);
      await this.#states.makeRoom(0);
      const restored = await context.restore(id, path);
      assert(areEqual(restored, prompt.cells), "the restored tokens differ from the saved ones");
    } catch (cause) {
      this.#states.markDirty(id);
      throw createSizeError(tokens, cause);
    }
    this.#records.replace(id, prompt);
    this.#records.release(lease);
  }

  /**
   * Empties a sequence at rest.
   * @returns number of tokens that it held
   */
  erase(id: number): number {
    assert(this.useOf(id) === "at-rest", `cannot erase sequence ${id}: it is in use`);
    const { length } = this.contentsOf(id).cells;
    this.#states.empty(id);
    return length;
  }

  /** @throws {GgufdError} `server_overloaded` while a copy of the sequence is pending */
  #assertAccessible(id: number): void {
    assert(this.useOf(id) === "at-rest", `cannot access the state of sequence ${id}: it is in use`);
    if (this.#states.isCopying(id)) throw createBusyError(id, "is being copied");
  }
}

function createBusyError(id: number, reason: string): GgufdError {
  const message = `The state of slot ${id} cannot be saved or restored now: the cache ${reason}.`;
  return new GgufdError("server_overloaded", message, { retryAfterSeconds: 1 });
}

function createSizeError(tokens: number, cause?: unknown): GgufdError {
  const reason = `expected a state that fits into the slot, got one of ${tokens} tokens that llama.cpp cannot restore`;
  return createRefusal("invalid_request", [{ field: "filename", reason }], { cause });
}
