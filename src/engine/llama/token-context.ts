import type { SamplingOptions } from "../sampling/sampling-options.js";

/** The tokens of one sequence in a batch. */
export interface BatchPart {
  readonly sequenceId: number;
  /** Position of the first of `tokens` in the sequence. */
  readonly position: number;
  readonly tokens: readonly number[];
  /** Index of the first of `tokens` whose logits are computed; `tokens.length`: none are. */
  readonly logitsFrom: number;
}

/** Handle of one row of logits; valid until the next batch is evaluated. */
export type Logits = number & { readonly __logits: never };

/** What a sampler depends on. */
export interface SamplingContext {
  readonly options: SamplingOptions;
  readonly promptTokens: readonly number[];
  /** The list grows as the generation goes on. */
  readonly generated: readonly number[];
}

/** Samples the tokens of one generation. */
export interface TokenSampler {
  sample(logits: Logits): Promise<number>;
  dispose(): void;
}

/**
 * A context of llama.cpp: several KV-cache streams that are evaluated together. At most one of its
 * asynchronous calls may be in flight at a time.
 */
export interface TokenContext {
  /** Number of sequences; their ids are 0 to `sequences` − 1. */
  readonly sequences: number;
  /** Capacity of one batch, in tokens; at least one for each sequence. */
  readonly batchSize: number;
  /**
   * Whether a sequence can be truncated to any length. The state of recurrent, hybrid and
   * sliding-window models can only be continued or emptied.
   */
  readonly partialTruncation: "supported" | "unsupported";

  /**
   * Expected duration of copying one sequence to another, in milliseconds. llama.cpp copies the whole
   * stream of a sequence, whatever the number of tokens in it.
   */
  readonly copyMs: number;

  /**
   * Evaluates a batch in one native call.
   * @param parts in ascending sequence id: llama.cpp splits a batch into sub-batches of consecutive
   *   sequences with equal token counts, and each sub-batch reads all weights once
   * @returns the requested logits of each part
   */
  evaluate(parts: readonly BatchPart[]): Promise<readonly (readonly Logits[])[]>;

  /** Keeps the first `length` tokens of a sequence; 0 empties it. */
  truncate(sequenceId: number, length: number): void;

  /**
   * Makes a sequence a copy of another one. llama.cpp copies with the next batch: until then no
   * state may be restored into either of them.
   */
  copy(from: number, to: number): Promise<void>;

  /**
   * Writes a sequence's state to a file.
   * @returns its size in bytes
   */
  save(sequenceId: number, tokens: readonly number[], path: string): Promise<number>;

  /** Replaces a sequence's state with a saved one. */
  restore(sequenceId: number, path: string): Promise<void>;

  createSampler(context: SamplingContext): TokenSampler;
}
