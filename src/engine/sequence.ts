import type { SamplingOptions } from "./sampling-options.js";

/** What sampling needs to know of the generation it serves; read anew for every token. */
export interface SamplingContext {
  readonly options: SamplingOptions;
  readonly promptTokens: readonly number[];
  readonly generated: readonly number[];
}

/**
 * One KV-cache stream of a context. The step loop drives it; at most one call is in flight.
 *
 * Calls on several sequences that are made in the same tick share native batches.
 */
export interface Sequence {
  readonly id: number;
  /** Tokens whose KV state is held. */
  readonly heldTokens: readonly number[];

  /**
   * Cuts the state back to the longest prefix it shares with `promptTokens`, without the last
   * prompt token, whose logits are needed.
   * @returns the number of prompt tokens that need not be evaluated again.
   */
  reusePrefix(promptTokens: readonly number[]): Promise<number>;

  /** Evaluates a slice of the prompt without sampling. */
  prefill(tokens: readonly number[]): Promise<void>;

  /** Evaluates the end of the prompt and samples the first token. */
  beginDecoding(tokens: readonly number[], context: SamplingContext): Promise<number>;

  /** Evaluates the token sampled last and samples the next one. */
  decode(): Promise<number>;

  /** Ends decoding, if it has begun. The token sampled last is not held. */
  endDecoding(): Promise<void>;

  /** Drops the whole state, after a failure. */
  clear(): Promise<void>;
}
