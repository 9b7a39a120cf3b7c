import assert from "node:assert/strict";
import type { PoolingContext } from "../native/pooling-context.js";

/** Inputs as tokens, one vector each. */
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
  /** Called after each batch that has succeeded. */
  readonly onBatchEnd: () => void;
  /** Called with the error of a failed batch, before its requests are told. */
  readonly onFailure: (error: unknown) => void;
}

/** Pools inputs batch by batch, those of several requests together. */
export class PoolingLoop {
  readonly #options: PoolingLoopOptions;
  /** In the order of arrival. */
  #jobs: readonly Job[] = [];
  #running: Promise<void> | undefined;

  constructor(options: PoolingLoopOptions) {
    this.#options = options;
  }

  /**
   * Pools all inputs of a request.
   * @param inputs each fits into a batch by itself
   * @throws {Error} of a failed batch
   */
  pool(
    id: string,
    inputs: readonly (readonly number[])[],
  ): Promise<readonly Float32Array[] | "cancelled"> {
    if (inputs.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const lengths = inputs.map(({ length }) => length);
      this.#jobs = [...this.#jobs, { id, inputs, lengths, vectors: [], resolve, reject }];
      this.#running ??= this.#run();
    });
  }

  /** Ends a request; what of it is being computed is lost. */
  cancel(id: string): void {
    for (const job of this.#jobs) if (job.id === id) job.resolve("cancelled");
    this.#jobs = this.#jobs.filter((job) => job.id !== id);
  }

  /** Cancels everything. Resolves when nothing is computed any more. */
  async close(): Promise<void> {
    for (const { id } of this.#jobs) this.cancel(id);
    await this.#running;
  }

  async #run(): Promise<void> {
    // Requests that arrive together are to share the first batch.
    await Promise.resolve();
    while (this.#jobs.length > 0) await this.#poolBatch();
    this.#running = undefined;
  }

  async #poolBatch(): Promise<void> {
    const jobs = this.#jobs;
    const { context, enoughTokens } = this.#options;
    const taken = inputsToTake(
      jobs.map(({ lengths, vectors }) => ({ lengths, done: vectors.length })),
      { sequences: context.sequences, tokens: context.batchTokens, enoughTokens },
    );
    const parts = jobs.map(({ inputs, vectors }, index) =>
      inputs.slice(vectors.length, vectors.length + (taken[index] ?? 0)),
    );
    const served = new Set(jobs.filter((_, index) => (taken[index] ?? 0) > 0));
    assert(served.size > 0, "each batch takes an input at least");
    try {
      const inputs = parts.flat();
      const vectors = await context.pool(inputs);
      assert.equal(vectors.length, inputs.length, "each input has one vector");
      let next = 0;
      for (const [index, { length }] of parts.entries()) {
        jobs[index]?.vectors.push(...vectors.slice(next, next + length));
        next += length;
      }
      this.#options.onBatchEnd();
    } catch (error) {
      this.#options.onFailure(error);
      for (const job of served) job.reject(error);
      this.#jobs = this.#jobs.filter((job) => !served.has(job));
      return;
    }
    const isDone = (job: Job) => job.vectors.length === job.inputs.length;
    for (const job of served) if (isDone(job)) job.resolve(job.vectors);
    this.#jobs = this.#jobs.filter((job) => !isDone(job));
  }
}

/** Inputs of one request that wait to be pooled. */
export interface WaitingInputs {
  /** Lengths in tokens, of all inputs. */
  readonly lengths: readonly number[];
  /** How many of them have been pooled. */
  readonly done: number;
}

/** What a batch may hold. */
export interface BatchLimits {
  readonly sequences: number;
  readonly tokens: number;
  /** With so many tokens a batch is full enough: more of them take their time longer. */
  readonly enoughTokens: number;
}

/**
 * The inputs of the next batch, as numbers of inputs of each request: one of the oldest request, so that
 * none waits for ever, then those of the requests with the fewest inputs left, the older first. So a
 * small request hardly waits for a large one, and equal ones are answered one after the other rather than
 * all at the end.
 * @param waiting in the order of arrival
 */
export function inputsToTake(
  waiting: readonly WaitingInputs[],
  limits: BatchLimits,
): readonly number[] {
  const taken = waiting.map(() => 0);
  let sequences = 0;
  let tokens = 0;
  for (const [index, length] of inOrder(waiting)) {
    const isFull = sequences === limits.sequences || tokens + length > limits.tokens;
    const isEnough = sequences > 0 && tokens + length > limits.enoughTokens;
    if (isFull || isEnough) break;
    taken[index] = (taken[index] ?? 0) + 1;
    sequences += 1;
    tokens += length;
  }
  return taken;
}

/** All inputs in the order in which they are taken: the index of the request, and a length. */
function* inOrder(
  waiting: readonly WaitingInputs[],
): Generator<readonly [request: number, length: number]> {
  const left = ({ lengths, done }: WaitingInputs) => lengths.length - done;
  const requests = waiting
    .map((request, index) => ({ request, index }))
    .sort((one, other) => left(one.request) - left(other.request));
  const [oldest] = waiting;
  const first = oldest?.lengths[oldest.done];
  if (first !== undefined) yield [0, first];
  for (const { request, index } of requests) {
    const begin = index === 0 ? request.done + 1 : request.done;
    for (const length of request.lengths.slice(begin)) yield [index, length];
  }
}
