/** A context that reads whole sequences and makes one vector of each. */
export interface PoolingContext {
  /** Sequences of a batch at most. */
  readonly sequences: number;
  /** Tokens of a batch at most, all sequences together. */
  readonly batchTokens: number;
  /** @returns the vector of each sequence, in their order */
  pool(sequences: readonly (readonly number[])[]): Promise<Float32Array[]>;
}
