import type { PoolingContext } from "./pooling-context.js";

/** Pools short batches with a context of their own. */
export class ShortBatches implements PoolingContext {
  readonly sequences: number;
  readonly batchTokens: number;
  readonly #short: PoolingContext;
  readonly #others: PoolingContext;

  /** @param others takes what does not fit into `short` */
  constructor(short: PoolingContext, others: PoolingContext) {
    this.#short = short;
    this.#others = others;
    this.sequences = others.sequences;
    this.batchTokens = others.batchTokens;
  }

  pool(sequences: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const tokens = sequences.reduce((sum, { length }) => sum + length, 0);
    const { batchTokens, sequences: most } = this.#short;
    const isShort = tokens <= batchTokens && sequences.length <= most;
    return (isShort ? this.#short : this.#others).pool(sequences);
  }
}
