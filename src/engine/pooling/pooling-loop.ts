import assert from "node:assert/strict";
import type { PoolingContext } from "../native/pooling-context.js";

/** A request's inputs as tokens, and the vectors pooled so far. */
interface Job {
  readonly id: string;
  readonly inputs: readonly (readonly number[])[];
  readonly lengths: readonly number[];
  readonly vectors: Float32Array[];
  readonly resolve: (vectors: readonly Float32Array[] | "cancelled") => void;
  readonly reject: (error: unknown) => void;
}

export interface PoolingLoopOptions {
  readonly context: PoolingContext;
  /** See {@link BatchLimits.enoughTokens}. */
  readonly enoughTokens: number;
  /** Called after each successful batch. */
  readonly onBatchEnd: () => void;
  /** Called with the error of a failed batch, before its requests are rejected. */
  readonly onFailure: (error: unknown) => void;
}

/** Pools inputs in batches, which may contain inputs of several requests. */
export class PoolingLoop {
  readonly #options: PoolingLoopOptions;
  /** Jobs in the order of arrival. */
  #jobs: readonly Job[] = [];
  #loopPromise: Promise<void> | undefined;

  constructor(options: PoolingLoopOptions) {
    this.#options = options;
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
      this.#jobs = [...this.#jobs, { id, inputs, lengths, vectors: [], resolve, reject }];
      this.#loopPromise ??= this.#run();
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
    await this.#loopPromise;
  }

  async #run(): Promise<void> {
    // Waits a microtask, so that requests that arrive together share the first batch.
    await Promise.resolve();
    while (this.#jobs.length > 0) await this.#poolBatch();
    this.#options.context.rest();
    this.#loopPromise = undefined;
  }

  async #poolBatch(): Promise<void> {
    const jobs = this.#jobs;
    const { context, enoughTokens } = this.#options;
    const takenCounts = selectInputs(
      jobs.map(({ lengths, vectors }) => ({ lengths, pooledInputs: vectors.length })),
      { sequences: context.sequences, tokens: context.batchTokens, enoughTokens },
    );
    const parts = jobs.map(({ inputs, vectors }, index) =>
      inputs.slice(vectors.length, vectors.length + (takenCounts[index] ?? 0)),
    );
    const servedJobs = new Set(jobs.filter((_, index) => (takenCounts[index] ?? 0) > 0));
    assert(servedJobs.size > 0, "the batch contains no input");
    try {
      const inputs = parts.flat();
      const vectors = await context.pool(inputs);
      assert.equal(
        vectors.length,
        inputs.length,
        "the number of vectors differs from the number of inputs",
      );
      let firstVector = 0;
      for (const [index, { length }] of parts.entries()) {
        jobs[index]?.vectors.push(...vectors.slice(firstVector, firstVector + length));
        firstVector += length;
      }
      this.#options.onBatchEnd();
    } catch (error) {
      this.#options.onFailure(error);
      for (const job of servedJobs) job.reject(error);
      this.#jobs = this.#jobs.filter((job) => !servedJobs.has(job));
      return;
    }
    const isDone = (job: Job) => job.vectors.length === job.inputs.length;
    for (const job of servedJobs) if (isDone(job)) job.resolve(job.vectors);
    this.#jobs = this.#jobs.filter((job) => !isDone(job));
  }
}

/** Inputs of one request in the queue. */
export interface WaitingInputs {
  /** Lengths of all inputs, in tokens. */
  readonly lengths: readonly number[];
  /** Number of inputs already pooled. */
  readonly pooledInputs: number;
}

/** Limits of a batch. */
export interface BatchLimits {
  readonly sequences: number;
  readonly tokens: number;
  /** A batch with this many tokens is full: more tokens make it take longer in proportion. */
  readonly enoughTokens: number;
}

/**
 * Selects the inputs of the next batch, as a number of inputs per request. It takes one input of
 * the oldest request, so that none waits forever, then those of the requests with the fewest inputs
 * left, older ones first. A small request thus hardly waits for a large one, and equal requests
 * complete one after the other rather than all at the end.
 * @param queuedInputs in the order of arrival
 */
export function selectInputs(
  queuedInputs: readonly WaitingInputs[],
  limits: BatchLimits,
): readonly number[] {
  const takenCounts = queuedInputs.map(() => 0);
  let sequences = 0;
  let tokens = 0;
  for (const [index, length] of yieldInSchedulingOrder(queuedInputs)) {
    const isFull = sequences === limits.sequences || tokens + length > limits.tokens;
    const isEnough = sequences > 0 && tokens + length > limits.enoughTokens;
    if (isFull || isEnough) break;
    takenCounts[index] = (takenCounts[index] ?? 0) + 1;
    sequences += 1;
    tokens += length;
  }
  return takenCounts;
}

/** Yields all inputs in scheduling order: the index of the request, and the input's length. */
function* yieldInSchedulingOrder(
  waiting: readonly WaitingInputs[],
): Generator<readonly [request: number, length: number]> {
  const countRemaining = ({ lengths, pooledInputs }: WaitingInputs) =>
    lengths.length - pooledInputs;
  const requests = waiting
    .map((request, index) => ({ request, index }))
    .sort((one, other) => countRemaining(one.request) - countRemaining(other.request));
  const [oldest] = waiting;
  const first = oldest?.lengths[oldest.pooledInputs];
  if (first !== undefined) yield [0, first];
  for (const { request, index } of requests) {
    const begin = index === 0 ? request.pooledInputs + 1 : request.pooledInputs;
    for (const length of request.lengths.slice(begin)) yield [index, length];
  }
}
