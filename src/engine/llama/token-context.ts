import type { SamplingOptions } from "../sampling/sampling-options.js";

/** Tokens of one sequence in a batch. */
export interface BatchPart {
  readonly sequenceId: number;
  /** Position of the first of `tokens` in the sequence. */
  readonly position: number;
  readonly tokens: readonly number[];
  /** Index of the first of `tokens` whose logits are wanted; their number: none are. */
  readonly logitsFrom: number;
}

/** Handle of one token's logits; valid until the next batch is evaluated. */
export type Logits = number & { readonly __logits: never };

/** What sampling needs to know of the generation it serves. */
export interface SamplingContext {
  readonly options: SamplingOptions;
  readonly promptTokens: readonly number[];
  /** Grows as the generation goes on. */
  readonly generated: readonly number[];
}

/** Draws the tokens of one generation, one after the other. */
export interface TokenSampler {
  sample(logits: Logits): Promise<number>;
  dispose(): void;
}

/**
 * A context of llama.cpp: several KV-cache streams that are evaluated together. Only one of the
 * asynchronous calls is in flight at a time.
 */
export interface TokenContext {
  /** Ids of the sequences: 0 to `sequences` − 1. */
  readonly sequences: number;
  /** Tokens that one batch takes; at least one for each sequence. */
  readonly batchSize: number;
  /**
   * Whether a sequence's state can be cut back to any length. That of recurrent, hybrid and
   * sliding-window models can only be continued or dropped.
   */
  readonly cuts: "anywhere" | "to nothing";

  /**
   * Evaluates a batch in one native call. The parts are in ascending sequence id: llama.cpp cuts a
   * batch into sub-batches of consecutive sequences with equal token counts, and each sub-batch
   * reads all weights once.
   * @returns for each part the logits that it wanted
   */
  evaluate(parts: readonly BatchPart[]): Promise<readonly (readonly Logits[])[]>;

  /** Keeps the first `length` tokens of a sequence. */
  cut(sequenceId: number, length: number): void;

  /** Makes a sequence a copy of another one. */
  copy(from: number, to: number): Promise<void>;

  /**
   * Writes a sequence's state to a file.
   * @returns its size in bytes
   */
  save(sequenceId: number, tokens: readonly number[], path: string): Promise<number>;

  /** Makes a sequence what it was when it was saved. */
  restore(sequenceId: number, path: string): Promise<void>;

  createSampler(context: SamplingContext): TokenSampler;
}
