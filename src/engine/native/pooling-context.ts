/** A context that evaluates whole sequences and pools each into one vector. */
export interface PoolingContext {
  /** Maximum number of sequences in a batch. */
  readonly sequences: number;
  /** Maximum number of tokens in a batch, over all sequences. */
  readonly batchTokens: number;
  /**
   * @param threads number of compute threads
   * @returns one vector per sequence, in order; without a pooling method, the vectors of all its
   *   tokens, one after the other
   */
  pool(sequences: readonly (readonly number[])[], threads: number): Promise<Float32Array[]>;
  /** Announces a pause: compute threads leave the cores to others until the next batch. */
  rest(): void;
}
