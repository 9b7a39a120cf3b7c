import type { EmitGeneration } from "../../core/engine.js";
import { type GgufdError, toClientError } from "../../core/errors.js";
import type { GenerationEvent } from "../../core/generation-event.js";
import {
  computeReservation,
  computeResumedReservation,
  findLimitOrigin,
} from "../cache/reservation.js";
import type { PlacedPrompt, SequencePool } from "../cache/sequence-pool.js";
import { isPromptScored, type PreparedGeneration } from "../text/prompt/prepared-generation.js";
import { buildIdentity } from "./build-identity.js";
import type { RunningGeneration } from "./running-generation.js";
import type { RunningGenerations } from "./running-generations.js";
import type { FailureScope, StepLoopOptions } from "./step-loop-options.js";

/** A generation that waits for a sequence. */
type WaitingGeneration =
  | { readonly kind: "new"; readonly prepared: PreparedGeneration; readonly emit: EmitGeneration }
  | { readonly kind: "suspended"; readonly generation: RunningGeneration };

export interface AdmissionControlOptions
  extends Pick<StepLoopOptions, "batchSharing" | "begin" | "onFailure"> {
  readonly pool: SequencePool;
  readonly running: RunningGenerations;
}

/**
 * Assigns sequences, and cells of a unified KV cache, first come, first served. Generations whose
 * requests set no length limit may run out of cells; then the youngest of them is suspended, and
 * resumes ahead of all new generations when there is room.
 *
 * Generations of batches come after all others, and are suspended for them ({@link BatchSharing}).
 * A generation whose prompt is scored cannot be suspended, and runs to its end.
 */
export class SequenceAdmission {
  readonly #options: AdmissionControlOptions;
  #queue: WaitingGeneration[] = [];
  #admissions = 0;
  #suspensions = 0;

  constructor(options: AdmissionControlOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Whether a waiting generation may begin in the next step. */
  get hasCandidates(): boolean {
    return !this.isEmpty && this.#listCandidates().length > 0;
  }

  /** Whether {@link admit} may suspend generations. */
  get mayYield(): boolean {
    return this.#queue.some(isInteractive) && this.#findYieldingGenerations().length > 0;
  }

  /** How often a generation was suspended for want of cells. */
  get suspensions(): number {
    return this.#suspensions;
  }

  add(prepared: PreparedGeneration, emit: EmitGeneration): void {
    this.#queue.push({ kind: "new", prepared, emit });
  }

  /** Ends waiting generations that have been cancelled. */
  retire(cancelled: ReadonlySet<string>): void {
    const cancelledEntries = this.#queue.filter((waiting) => cancelled.has(idOf(waiting)));
    this.#queue = this.#queue.filter((waiting) => !cancelledEntries.includes(waiting));
    for (const waiting of cancelledEntries) this.#end(waiting, { type: "cancelled" });
  }

  /** Fails all waiting generations. */
  failAll(error: GgufdError): void {
    const failedEntries = this.#queue;
    this.#queue = [];
    for (const waiting of failedEntries) this.#end(waiting, { type: "failed", error });
  }

  /**
   * Begins waiting generations while there is room for them. The text of all generations must be
   * settled if it {@link mayYield}.
   */
  async admit(): Promise<void> {
    const { pool, batchSharing } = this.#options;
    if (batchSharing === "idle" && this.mayYield) {
      for (const generation of this.#findYieldingGenerations()) this.#yield(generation);
    }
    for (const next of this.#resumeHeldFirst(this.#listCandidates())) {
      const placed = await this.#acquireOrYield(next).catch((error) => this.#refuse(error));
      if (placed === "full") break;
      if (placed === "later") continue;
      this.#queue = this.#queue.filter((waiting) => waiting !== next);
      if (placed instanceof Error) this.#end(next, { type: "failed", error: placed });
      else this.#begin(next, placed);
    }
    if (pool.isUsable || this.isEmpty) return;
    this.failAll(this.#refuse(new Error("no usable sequence is left"), "step"));
  }

  /**
   * Whether a generation needs more cells for its next step than are reserved for it. Always false in the split layout.
   */
  get lacksCells(): boolean {
    const { pool, running } = this.#options;
    return running.all.some(
      ({ lease, uncomputedTokens }) => !pool.hasReserved(lease, uncomputedTokens),
    );
  }

  /**
   * Reserves cells for generations that need more, the oldest first. If no cells are free, suspends
   * the youngest generation whose request sets no length limit. The text of all generations must be
   * settled.
   */
  async grow(): Promise<void> {
    const { pool, running } = this.#options;
    for (const generation of sortByAge(running.all)) {
      const { lease, uncomputedTokens, maxTextTokens, limitOrigin } = generation;
      const tokens = lease.contents.cells.length + uncomputedTokens;
      while (running.has(generation) && !pool.hasReserved(lease, uncomputedTokens)) {
        const reservationInput = {
          tokens,
          maxTextTokens,
          limitOrigin,
          shareTokens: pool.shareTokens,
        };
        if (await pool.grow(lease, computeReservation(reservationInput))) break;
        await this.#suspend(findYoungest(running.all) ?? generation);
      }
    }
  }

  async #suspend(generation: RunningGeneration): Promise<void> {
    const { pool, running } = this.#options;
    this.#suspensions++;
    running.takeOut(generation);
    await pool.suspend(generation.lease);
    this.#enqueueSuspended(generation);
  }

  /** Suspends a generation of a batch, whose tokens stay cached in its sequence. */
  #yield(generation: RunningGeneration): void {
    const { running, pool } = this.#options;
    running.takeOut(generation);
    pool.release(generation.lease, "generation");
    this.#enqueueSuspended(generation);
  }

  /** Running generations that can be suspended for others, the oldest first. */
  #findYieldingGenerations(): readonly RunningGeneration[] {
    return this.#options.running.all.filter(
      ({ isOfBatch, promptScores }) => isOfBatch && promptScores === undefined,
    );
  }

  /** Waiting generations that may begin now, in order. */
  #listCandidates(): readonly WaitingGeneration[] {
    const { batchSharing, running } = this.#options;
    const interactive = this.#queue.filter(isInteractive);
    const isInteractiveRunning = running.all.some(({ isOfBatch }) => !isOfBatch);
    if (batchSharing === "idle" && (interactive.length > 0 || isInteractiveRunning)) {
      return interactive;
    }
    return [...interactive, ...this.#queue.filter((waiting) => !isInteractive(waiting))];
  }

  /**
   * Moves suspended generations of batches whose tokens are still held ahead of the other ones of
   * batches. Each of these overwrites a sequence: one without a suspended generation, if they come last.
   */
  #resumeHeldFirst(candidates: readonly WaitingGeneration[]): readonly WaitingGeneration[] {
    const { pool } = this.#options;
    const rankOf = (waiting: WaitingGeneration) => {
      if (isInteractive(waiting)) return 0;
      return waiting.kind === "suspended" && pool.holds(waiting.generation.identity) ? 1 : 2;
    };
    const ranked = candidates.map((waiting) => ({ waiting, rank: rankOf(waiting) }));
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ waiting }) => waiting);
  }

  /** Acquires a sequence; for an interactive generation, also one of a generation of a batch. */
  async #acquireOrYield(waiting: WaitingGeneration): Promise<PlacedPrompt | "full" | "later"> {
    let placed = await this.#acquire(waiting);
    while (placed === "full" && isInteractive(waiting)) {
      const yielding = this.#findYieldingGenerations().at(-1);
      if (yielding === undefined) break;
      this.#yield(yielding);
      placed = await this.#acquire(waiting);
    }
    return placed;
  }

  #enqueueSuspended(generation: RunningGeneration): void {
    const suspendedEntry = { kind: "suspended", generation } as const;
    const insertionIndex = this.#queue.findIndex(
      (other) =>
        other.kind === "new" || other.generation.admissionOrder > generation.admissionOrder,
    );
    this.#queue.splice(insertionIndex < 0 ? this.#queue.length : insertionIndex, 0, suspendedEntry);
  }

  #acquire(waiting: WaitingGeneration): Promise<PlacedPrompt | "full" | "later"> {
    const { pool } = this.#options;
    const { shareTokens } = pool;
    const keptFor = isInteractive(waiting) ? "conversation" : "nothing";
    if (waiting.kind === "suspended") {
      const { identity, maxTextTokens, limitOrigin, owner } = waiting.generation;
      const reservationInput = {
        tokens: identity.cells.length,
        maxTextTokens,
        limitOrigin,
        shareTokens,
      };
      const reservedTokens = computeResumedReservation(reservationInput);
      return pool.acquire(identity, reservedTokens, { owner, keptFor });
    }
    const { prepared } = waiting;
    const { promptTokens, maxTokens } = prepared;
    const reservedTokens = computeReservation({
      tokens: promptTokens.length,
      maxTextTokens: promptTokens.length + maxTokens,
      limitOrigin: pool.canSave ? findLimitOrigin(prepared) : "request",
      shareTokens,
    });
    const reuse = prepared.evaluation ?? (isPromptScored(prepared) ? "nothing" : "prefix");
    return pool.acquire(buildIdentity(prepared), reservedTokens, {
      reuse,
      owner: prepared.owner,
      slot: prepared.slot,
      keptFor,
    });
  }

  #begin(waiting: WaitingGeneration, placed: PlacedPrompt): void {
    const { begin, pool, running } = this.#options;
    if (waiting.kind === "suspended") {
      waiting.generation.resume(placed.lease);
      running.add(waiting.generation);
      return;
    }
    const { prepared, emit } = waiting;
    try {
      const generation = begin({ ...placed, prepared, emit, admissionOrder: ++this.#admissions });
      running.add(generation);
      generation.begin();
    } catch (error) {
      pool.abandon(placed.lease);
      emit({ type: "failed", error: this.#refuse(error) });
    }
  }

  #end(
    waiting: WaitingGeneration,
    event: Extract<GenerationEvent, { type: "cancelled" | "failed" }>,
  ): void {
    if (waiting.kind === "new") waiting.emit(event);
    else {
      this.#options.pool.forgetSuspended(waiting.generation.lease);
      waiting.generation.end(event);
    }
  }

  #refuse(error: unknown, scope: FailureScope = "generation"): GgufdError {
    this.#options.onFailure(error, scope);
    return toClientError(error);
  }
}

function idOf(waiting: WaitingGeneration): string {
  return waiting.kind === "new" ? waiting.prepared.id : waiting.generation.id;
}

function isInteractive(waiting: WaitingGeneration): boolean {
  return waiting.kind === "new"
    ? waiting.prepared.class !== "batch"
    : !waiting.generation.isOfBatch;
}

function sortByAge(generations: readonly RunningGeneration[]): RunningGeneration[] {
  return generations.toSorted((a, b) => a.admissionOrder - b.admissionOrder);
}

function findYoungest(generations: readonly RunningGeneration[]): RunningGeneration | undefined {
  return sortByAge(generations).findLast(({ limitOrigin }) => limitOrigin === "context");
}
