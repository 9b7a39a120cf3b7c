import assert from "node:assert/strict";
import type { LlamaContext } from "node-llama-cpp";
import type { AddonContext, ContextInternals } from "./addon.js";
import type { NativeCompanion } from "./companion/native-companion.js";
import type { PoolingContext } from "./pooling-context.js";

/** A pooling context whose number of threads can change. */
export interface ThreadedPoolingContext extends PoolingContext {
  /** Sets the number of compute threads, starting with the next batch. */
  setThreads(threads: number): void;
}

/** A {@link PoolingContext} over a node-llama-cpp context, which must not be used elsewhere. */
export class NativePoolingContext implements ThreadedPoolingContext {
  readonly sequences: number;
  readonly batchTokens: number;
  readonly #context: AddonContext;
  readonly #companion: NativeCompanion;
  #threads: number | undefined;

  /** @param context a context created for embeddings */
  constructor(context: LlamaContext, companion: NativeCompanion) {
    const { _ctx, _totalSequences } = context as unknown as ContextInternals;
    this.#context = _ctx;
    this.#companion = companion;
    this.sequences = _totalSequences;
    this.batchTokens = context.batchSize;
  }

  setThreads(threads: number): void {
    this.#threads = threads;
  }

  async pool(sequences: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const totalTokens = sequences.reduce((sum, { length }) => sum + length, 0);
    assert(sequences.length <= this.sequences, "a batch has more sequences than the context");
    assert(totalTokens <= this.batchTokens, "a batch has more tokens than fit into one pass");
    assert(
      sequences.every(({ length }) => length > 0),
      "a sequence has no tokens",
    );
    if (this.#threads !== undefined) this.#context.setThreads(this.#threads);
    this.#context.initBatch(totalTokens);
    for (const [id, tokens] of sequences.entries()) {
      this.#context.addToBatch(id, 0, Uint32Array.from(tokens), Uint32Array.from(tokens.keys()));
    }
    try {
      await this.#context.decodeBatch();
      return this.#vectorsOf(sequences);
    } finally {
      for (const id of sequences.keys()) this.#context.disposeSequence(id);
    }
  }

  #vectorsOf(sequences: readonly (readonly number[])[]): Float32Array[] {
    const ids = Int32Array.from(sequences.keys());
    const all = this.#companion.embeddings(this.#context, ids);
    const length = all.length / sequences.length;
    return sequences.map((_, id) => all.slice(id * length, (id + 1) * length));
  }
}

/** Pools short batches in a separate context. */
export class ShortBatches implements ThreadedPoolingContext {
  readonly sequences: number;
  readonly batchTokens: number;
  readonly #short: ThreadedPoolingContext;
  readonly #others: ThreadedPoolingContext;

  /** @param others receives batches that do not fit into `short` */
  constructor(short: ThreadedPoolingContext, others: ThreadedPoolingContext) {
    this.#short = short;
    this.#others = others;
    this.sequences = others.sequences;
    this.batchTokens = others.batchTokens;
  }

  setThreads(threads: number): void {
    this.#short.setThreads(threads);
    this.#others.setThreads(threads);
  }

  pool(sequences: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const tokens = sequences.reduce((sum, { length }) => sum + length, 0);
    const { batchTokens, sequences: most } = this.#short;
    const isShort = tokens <= batchTokens && sequences.length <= most;
    return (isShort ? this.#short : this.#others).pool(sequences);
  }
}
