import type { EmitGeneration } from "../../core/engine.js";
import { type GgufdError, toClientError } from "../../core/errors.js";
import type { GenerationEvent } from "../../core/generation-event.js";
import { computeResumedReservation, limitedBy, reservation } from "../cache/reservation.js";
import type { PlacedPrompt, SequencePool } from "../cache/sequence-pool.js";
import { isPromptScored, type PreparedGeneration } from "../text/prompt/prepared-generation.js";
import { identityOf } from "./identity-of.js";
import type { RunningGeneration } from "./running-generation.js";
import type { RunningGenerations } from "./running-generations.js";
import type { FailureScope, StepLoopOptions } from "./step-loop-options.js";

/** A generation that waits for a sequence. */
type Waiting =
  | { readonly kind: "new"; readonly prepared: PreparedGeneration; readonly emit: EmitGeneration }
  | { readonly kind: "suspended"; readonly generation: RunningGeneration };

export interface AdmissionControlOptions extends Pick<StepLoopOptions, "begin" | "onFailure"> {
  readonly pool: SequencePool;
  readonly running: RunningGenerations;
}

/**
 * Assigns sequences, and cells of a unified KV cache, first come, first served. Generations without a length limit of
 * their request may run out of cells; then the youngest of them is suspended, and resumes ahead of all new generations
 * when there is room.
 */
export class SequenceAdmission {
  readonly #options: AdmissionControlOptions;
  #waiting: Waiting[] = [];
  #admissions = 0;
  #suspensions = 0;

  constructor(options: AdmissionControlOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** How often a generation was suspended. */
  get suspensions(): number {
    return this.#suspensions;
  }

  add(prepared: PreparedGeneration, emit: EmitGeneration): void {
    this.#waiting.push({ kind: "new", prepared, emit });
  }

  /** Ends waiting generations that have been cancelled. */
  retire(cancelled: ReadonlySet<string>): void {
    const left = this.#waiting.filter((waiting) => cancelled.has(idOf(waiting)));
    this.#waiting = this.#waiting.filter((waiting) => !left.includes(waiting));
    for (const waiting of left) end(waiting, { type: "cancelled" });
  }

  /** Fails all waiting generations. */
  failAll(error: GgufdError): void {
    const left = this.#waiting;
    this.#waiting = [];
    for (const waiting of left) end(waiting, { type: "failed", error });
  }

  /** Begins waiting generations while there is room for them. */
  async admit(): Promise<void> {
    const { pool } = this.#options;
    for (const next of [...this.#waiting]) {
      const placed = await this.#acquire(next).catch((error) => this.#refuse(error));
      if (placed === "full") break;
      if (placed === "later") continue;
      this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
      if (placed instanceof Error) end(next, { type: "failed", error: placed });
      else this.#begin(next, placed);
    }
    if (pool.isUsable || this.isEmpty) return;
    this.failAll(this.#refuse(new Error("no usable sequence is left"), "step"));
  }

  /**
   * Whether a generation needs more cells for its next step than are reserved for it. Always false in the split layout.
   */
  get isShort(): boolean {
    const { pool, running } = this.#options;
    return running.all.some(
      ({ lease, uncomputedTokens }) => !pool.hasReserved(lease, uncomputedTokens),
    );
  }

  /**
   * Reserves cells for generations that need more, the oldest first. If no cells are free, suspends the youngest
   * generation without a length limit of its request. The text of all generations must be settled.
   */
  async grow(): Promise<void> {
    const { pool, running } = this.#options;
    for (const generation of byAge(running.all)) {
      const { lease, uncomputedTokens, wholeTokens, limitedBy } = generation;
      const tokens = lease.held.cells.length + uncomputedTokens;
      while (running.has(generation) && !pool.hasReserved(lease, uncomputedTokens)) {
        const question = { tokens, wholeTokens, limitedBy, shareTokens: pool.shareTokens };
        if (await pool.grow(lease, reservation(question))) break;
        await this.#suspend(youngest(running.all) ?? generation);
      }
    }
  }

  async #suspend(generation: RunningGeneration): Promise<void> {
    const { pool, running } = this.#options;
    this.#suspensions++;
    running.takeOut(generation);
    await pool.suspend(generation.lease);
    const suspended = { kind: "suspended", generation } as const;
    const behind = this.#waiting.findIndex(
      (other) => other.kind === "new" || other.generation.admitted > generation.admitted,
    );
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, suspended);
  }

  #acquire(waiting: Waiting): Promise<PlacedPrompt | "full" | "later"> {
    const { pool } = this.#options;
    const { shareTokens } = pool;
    if (waiting.kind === "suspended") {
      const { identity, wholeTokens, limitedBy, owner } = waiting.generation;
      const question = { tokens: identity.cells.length, wholeTokens, limitedBy, shareTokens };
      return pool.acquire(identity, computeResumedReservation(question), { owner });
    }
    const { prepared } = waiting;
    const { promptTokens, maxTokens } = prepared;
    const reservedTokens = reservation({
      tokens: promptTokens.length,
      wholeTokens: promptTokens.length + maxTokens,
      limitedBy: pool.canSave ? limitedBy(prepared) : "request",
      shareTokens,
    });
    const reuse = prepared.evaluation ?? (isPromptScored(prepared) ? "nothing" : "prefix");
    return pool.acquire(identityOf(prepared), reservedTokens, {
      reuse,
      owner: prepared.owner,
      slot: prepared.slot,
    });
  }

  #begin(waiting: Waiting, placed: PlacedPrompt): void {
    const { begin, pool, running } = this.#options;
    if (waiting.kind === "suspended") {
      waiting.generation.resume(placed.lease);
      running.add(waiting.generation);
      return;
    }
    const { prepared, emit } = waiting;
    try {
      const generation = begin({ ...placed, prepared, emit, admitted: ++this.#admissions });
      running.add(generation);
      generation.begin();
    } catch (error) {
      pool.abandon(placed.lease);
      emit({ type: "failed", error: this.#refuse(error) });
    }
  }

  #refuse(error: unknown, scope: FailureScope = "generation"): GgufdError {
    this.#options.onFailure(error, scope);
    return toClientError(error);
  }
}

function idOf(waiting: Waiting): string {
  return waiting.kind === "new" ? waiting.prepared.id : waiting.generation.id;
}

function end(
  waiting: Waiting,
  event: Extract<GenerationEvent, { type: "cancelled" | "failed" }>,
): void {
  if (waiting.kind === "new") waiting.emit(event);
  else waiting.generation.end(event);
}

function byAge(generations: readonly RunningGeneration[]): RunningGeneration[] {
  return generations.toSorted((a, b) => a.admitted - b.admitted);
}

function youngest(generations: readonly RunningGeneration[]): RunningGeneration | undefined {
  return byAge(generations).findLast(({ limitedBy }) => limitedBy === "context");
}
