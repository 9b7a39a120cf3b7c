import { toClientError } from "../../core/errors.js";
import type { SequencePool } from "../cache/sequence-pool.js";
import { NotFiniteLogits } from "../native/token-context.js";
import type { RunningGeneration } from "./running-generation.js";
import type { MediaSource, StepLoopOptions } from "./step-loop-options.js";

/** The generations that hold a sequence, and how they give it back. */
export class RunningGenerations {
  readonly #pool: SequencePool;
  readonly #onFailure: StepLoopOptions["onFailure"];
  readonly #media: MediaSource | undefined;
  readonly #generations = new Set<RunningGeneration>();

  constructor(
    pool: SequencePool,
    { onFailure, media }: Pick<StepLoopOptions, "onFailure" | "media">,
  ) {
    this.#pool = pool;
    this.#onFailure = onFailure;
    this.#media = media;
  }

  /** In order of admission, but for those that were suspended: they are last. */
  get all(): readonly RunningGeneration[] {
    return [...this.#generations];
  }

  get size(): number {
    return this.#generations.size;
  }

  has(generation: RunningGeneration): boolean {
    return this.#generations.has(generation);
  }

  add(generation: RunningGeneration): void {
    this.#generations.add(generation);
    for (const { hash } of generation.mediaAhead) this.#media?.want(hash, generation.id);
  }

  /**
   * Forgets a generation, which keeps its lease.
   * @returns whether it was running
   */
  remove(generation: RunningGeneration): boolean {
    this.#media?.forget(generation.id);
    return this.#generations.delete(generation);
  }

  /** Forgets a generation, whose sequence is left with what it holds whole: of an image that it has begun, nothing. */
  takeOut(generation: RunningGeneration): void {
    this.remove(generation);
    this.#pool.takeBackBegun(generation.lease);
  }

  /** Returns the sequence with its tokens still cached. */
  release(generation: RunningGeneration): void {
    this.takeOut(generation);
    this.#pool.release(generation.lease);
  }

  /** Reports the failure of one generation, and ends it. */
  fail(generation: RunningGeneration, error: unknown): void {
    this.#onFailure(error, "generation");
    this.abandon(generation, error);
  }

  /** Ends a generation with an error; its sequence is emptied. */
  abandon(generation: RunningGeneration, error: unknown): void {
    this.remove(generation);
    if (error instanceof NotFiniteLogits) this.#pool.quarantine(generation.lease);
    else this.#pool.abandon(generation.lease);
    generation.end({ type: "failed", error: toClientError(error) });
  }
}
