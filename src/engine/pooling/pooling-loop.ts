import assert from "node:assert/strict";
import type { PoolingContext } from "../native/pooling-context.js";
import { type PlannedBatch, planBatches, type ThreadShare } from "./batch-selection.js";

/** A request's inputs as tokens, and the vectors pooled so far. */
interface Job {
  readonly id: string;
  readonly inputs: readonly (readonly number[])[];
  readonly lengths: readonly number[];
  /** Number of inputs in batches that have been started. */
  startedInputs: number;
  /** By input. */
  readonly vectors: Float32Array[];
  missingVectors: number;
  readonly resolve: (vectors: readonly Float32Array[] | "cancelled") => void;
  readonly reject: (error: unknown) => void;
}

/** A part of a batch: consecutive inputs of one request. */
interface BatchPart {
  readonly job: Job;
  readonly firstInput: number;
  readonly inputs: Job["inputs"];
}

export interface PoolingLoopOptions {
  /** One context, or two that may compute at the same time; the first one fits every input. */
  readonly contexts: readonly PoolingContext[];
  /** See {@link BatchLimits.enoughTokens}. */
  readonly enoughTokens: number;
  /** Returns the number of compute threads. */
  readonly threads: () => number;
  /** Called after each successful batch. */
  readonly onBatchEnd: () => void;
  /** Called with the error of a failed batch, before its requests are rejected. */
  readonly onFailure: (error: unknown) => void;
}

/** A context and its current batch. */
interface Lane {
  readonly context: PoolingContext;
  computing: ThreadShare | undefined;
}

/** Pools inputs in batches, which may contain inputs of several requests. */
export class PoolingLoop {
  readonly #options: PoolingLoopOptions;
  readonly #lanes: readonly Lane[];
  /** Jobs in the order of arrival. */
  #jobs: readonly Job[] = [];
  #isStarting = false;
  #lastShare: ThreadShare = "all";
  readonly #runningBatches = new Set<Promise<void>>();

  constructor(options: PoolingLoopOptions) {
    this.#options = options;
    this.#lanes = options.contexts.map((context) => ({ context, computing: undefined }));
  }

  /**
   * Pools all inputs of a request.
   * @param inputs inputs, each of which fits into a batch by itself
   * @throws {Error} the error of a failed batch
   */
  pool(
    id: string,
    inputs: readonly (readonly number[])[],
  ): Promise<readonly Float32Array[] | "cancelled"> {
    if (inputs.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const lengths = inputs.map(({ length }) => length);
      const progress = { startedInputs: 0, vectors: [], missingVectors: inputs.length };
      this.#jobs = [...this.#jobs, { id, inputs, lengths, ...progress, resolve, reject }];
      this.#startSoon();
    });
  }

  /** Cancels a request; the results of a batch in progress are discarded. */
  cancel(id: string): void {
    for (const job of this.#jobs) if (job.id === id) job.resolve("cancelled");
    this.#jobs = this.#jobs.filter((job) => job.id !== id);
  }

  /** Cancels all requests. Resolves once no batch is running. */
  async close(): Promise<void> {
    for (const { id } of this.#jobs) this.cancel(id);
    await Promise.all(this.#runningBatches);
  }

  /** Waits a microtask, so that requests that arrive together share the first batch. */
  #startSoon(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    queueMicrotask(() => {
      this.#isStarting = false;
      this.#startBatches();
    });
  }

  #startBatches(): void {
    const { enoughTokens, threads } = this.#options;
    // A single thread cannot be divided.
    const lanes = threads() > 1 ? this.#lanes : this.#lanes.slice(0, 1);
    const batches = planBatches(
      this.#jobs,
      lanes.map(({ context: { sequences, batchTokens }, computing }) => ({
        sequences,
        tokens: batchTokens,
        computing,
      })),
      enoughTokens,
    );
    const share = batches[0]?.share;
    const isIdle = this.#runningBatches.size === 0;
    if (isIdle && share !== undefined && share !== this.#lastShare) {
      // Otherwise threads of the other pools would still spin, and keep the first thread on its core.
      this.#rest();
      this.#lastShare = share;
    }
    for (const batch of batches) this.#start(batch);
    if (this.#runningBatches.size === 0) this.#rest();
  }

  #rest(): void {
    for (const { context } of this.#lanes) context.rest();
  }

  #start({ lane: index, share, takenCounts }: PlannedBatch): void {
    const lane = this.#lanes[index];
    assert(lane !== undefined, `no context ${index}`);
    const parts = this.#jobs.flatMap((job, place): BatchPart[] => {
      const taken = takenCounts[place] ?? 0;
      if (taken === 0) return [];
      const firstInput = job.startedInputs;
      job.startedInputs += taken;
      return [{ job, firstInput, inputs: job.inputs.slice(firstInput, job.startedInputs) }];
    });
    assert(parts.length > 0, "the batch contains no input");
    lane.computing = share;
    const batch = this.#poolBatch(lane.context, this.#countThreads(index, share), parts).finally(
      () => {
        lane.computing = undefined;
        this.#runningBatches.delete(batch);
        this.#startSoon();
      },
    );
    this.#runningBatches.add(batch);
  }

  #countThreads(lane: number, share: ThreadShare): number {
    const threads = this.#options.threads();
    if (share === "all") return threads;
    return lane === 0 ? Math.ceil(threads / 2) : Math.floor(threads / 2);
  }

  async #poolBatch(
    context: PoolingContext,
    threads: number,
    parts: readonly BatchPart[],
  ): Promise<void> {
    try {
      const inputs = parts.flatMap((part) => part.inputs);
      const vectors = await context.pool(inputs, threads);
      assert.equal(
        vectors.length,
        inputs.length,
        "the number of vectors differs from the number of inputs",
      );
      let index = 0;
      for (const { job, firstInput, inputs } of parts) {
        for (const offset of inputs.keys()) {
          const vector = vectors[index++];
          if (vector !== undefined) job.vectors[firstInput + offset] = vector;
        }
        job.missingVectors -= inputs.length;
      }
      this.#options.onBatchEnd();
    } catch (error) {
      this.#options.onFailure(error);
      const failedJobs = new Set(parts.map(({ job }) => job));
      for (const job of failedJobs) job.reject(error);
      this.#jobs = this.#jobs.filter((job) => !failedJobs.has(job));
      return;
    }
    const isDone = ({ missingVectors }: Job) => missingVectors === 0;
    for (const { job } of parts) if (isDone(job)) job.resolve(job.vectors);
    this.#jobs = this.#jobs.filter((job) => !isDone(job));
  }
}
