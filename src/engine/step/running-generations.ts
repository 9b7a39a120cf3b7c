import { toClientError } from "../../core/errors.js";
import type { SequencePool } from "../cache/sequence-pool.js";
import { NotFiniteLogits } from "../native/token-context.js";
import type { RunningGeneration } from "./running-generation.js";
import type { MediaSource, StepLoopOptions } from "./step-loop-options.js";

/** The generations that hold a sequence. Returns sequences to the pool when generations end, fail or are suspended. */
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

  /** Running generations in order of admission; resumed ones come last. */
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
    for (const { hash } of generation.mediaAhead) this.#media?.requestMedia(hash, generation.id);
  }

  /**
   * Removes a generation, which keeps its lease.
   * @returns whether the generation was running
   */
  remove(generation: RunningGeneration): boolean {
    this.#media?.forget(generation.id);
    return this.#generations.delete(generation);
  }

  /** Removes a generation and takes a partially evaluated image out of its sequence; its other cells stay. */
  takeOut(generation: RunningGeneration): void {
    this.remove(generation);
    this.#pool.removePartialMedia(generation.lease);
  }

  /** Removes a generation and releases its sequence; the tokens stay cached. */
  release(generation: RunningGeneration): void {
    this.takeOut(generation);
    this.#pool.release(generation.lease);
  }

  /** Reports the failure of one generation, and ends the generation. */
  fail(generation: RunningGeneration, error: unknown): void {
    this.#onFailure(error, "generation");
    this.abandon(generation, error);
  }

  /** Ends a generation with an error, and empties its sequence. */
  abandon(generation: RunningGeneration, error: unknown): void {
    this.remove(generation);
    if (error instanceof NotFiniteLogits) this.#pool.quarantine(generation.lease);
    else this.#pool.abandon(generation.lease);
    generation.end({ type: "failed", error: toClientError(error) });
  }
}
