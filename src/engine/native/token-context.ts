import { GgufdError } from "../../core/errors.js";
import type { SamplingOptions } from "../sampling/sampling-options.js";

/** An encoded image or piece of audio, ready for evaluation. */
export interface EncodedMedia {
  readonly cells: number;
  /** The embeddings of all cells, row by row. */
  readonly rows: Float32Array;
  /**
   * Whether a cell attends only to the cells before it. If not, all cells are evaluated at once.
   */
  readonly isCausal: boolean;
  /**
   * The first three axes of each cell's position, relative to the first cell (M-RoPE); absent if
   * positions are plain numbers.
   */
  readonly grid?: Int32Array | undefined;
}

/** Cells of an image or a piece of audio that are evaluated in one call. */
export interface MediaPiece {
  readonly sequenceId: number;
  /** Position of the first cell of `media`. */
  readonly position: number;
  readonly media: EncodedMedia;
  /** Index of the first evaluated cell, and the index after the last one. */
  readonly from: number;
  readonly to: number;
}

/** The tokens of one sequence in a batch. */
export interface BatchPart {
  readonly sequenceId: number;
  /**
   * Position of the first of `tokens`: its index in the sequence, unless media precede it
   * (`computePosition`).
   */
  readonly position: number;
  readonly tokens: readonly number[];
  /** Index of the first of `tokens` whose logits are computed; `tokens.length` for none. */
  readonly logitsFrom: number;
  /** If absent, nothing is drawn with the batch. */
  readonly draws?: PartDraws | undefined;
}

/**
 * The tokens to sample from a part's rows, first row first. A context may draw them in the call
 * that evaluates the part; they are then ready when the sampler is asked.
 */
export interface PartDraws {
  readonly sampler: TokenSampler;
  /** Tokens that are generated again; they replace the first drawn ones. */
  readonly replayedTokens: readonly number[];
  /**
   * Kind of probabilities to report, and the number of tokens in addition to the drawn one; absent
   * for none.
   */
  readonly scores?: { readonly origin: "model" | "sampling"; readonly top: number } | undefined;
  /** Whether another token may follow the drawn one within the length limit. */
  readonly mayFollow: boolean;
}

/**
 * Caller's knowledge of the next batch. `alike`: each part draws one token and continues with
 * it unless it ends the text, so the context may start the batch early. `undecided`: the next batch
 * may differ.
 */
export type NextBatch = "alike" | "undecided";

/** Handle of one row of logits; valid until the next batch is evaluated. */
export type Logits = number & { readonly __logits: never };

/** The tokens that a generation may produce next; changes with each token. */
export interface TokenConstraint {
  /** Returns whether a token may come next. */
  allows(token: number): boolean;
  /** Returns the tokens that may come next: one bit per token of the vocabulary, lowest first. */
  allowedTokens(): Uint32Array;
}

/** Inputs of a sampler. */
export interface SamplingContext {
  readonly options: SamplingOptions;
  readonly promptTokens: readonly number[];
  /** Grows as the generation proceeds. */
  readonly generated: readonly number[];
  /** If absent, any token may come next. */
  readonly constraint?: TokenConstraint | undefined;
}

/** A token and the row of logits that it may have been drawn from. */
export interface TokenOfRow {
  readonly logits: Logits;
  readonly token: number;
}

/** The log-softmax of some tokens over a row of logits, or over the candidates left by sampling. */
export interface LogProbabilities {
  /** Log-probability of the requested or drawn token. */
  readonly logProbability: number;
  /** The most probable tokens, in descending order. */
  readonly top: readonly { readonly token: number; readonly logProbability: number }[];
}

/** A token and the probabilities with which it was drawn. */
export interface ScoredDraw {
  readonly token: number;
  readonly probabilities: LogProbabilities;
}

/** A token, with its probabilities if they were requested. */
export type DrawnToken = Pick<ScoredDraw, "token"> & {
  readonly probabilities?: LogProbabilities | undefined;
};

/** Returns a token that is drawn because it is the only candidate. */
export function createCertainDraw(token: number, top: number): ScoredDraw {
  const tokens = top > 0 ? [{ token, logProbability: 0 }] : [];
  return { token, probabilities: { logProbability: 0, top: tokens } };
}

export interface TokenSampler {
  /**
   * Returns the token drawn from a row with its batch, as requested by {@link PartDraws};
   * `undefined` if it must be sampled.
   */
  getDrawn(logits: Logits): DrawnToken | undefined;
  /** @throws {NotFiniteLogits} */
  sample(logits: Logits): Promise<number>;
  /**
   * Samples the same token as {@link sample}, with its probabilities.
   * @param top maximum number of candidate tokens whose probabilities are returned
   * @throws {NotFiniteLogits}
   */
  sampleScored(logits: Logits, top: number): Promise<ScoredDraw>;
  dispose(): void;
}

/** The state of a sequence when it was marked. */
export interface StateMark {
  /**
   * Restores the sequence to the marked state. Since the mark, the sequence may only have been
   * extended: neither emptied nor replaced. A mark can be used once.
   */
  rewind(): Promise<void>;
  /** Frees the mark's memory; must always be called. */
  dispose(): void;
}

/** A LoRA adapter that is applied to the model. */
export interface AppliedAdapter {
  /** Id of the adapter's content. */
  readonly id: string;
  /** Factor of the adapter's contribution. */
  readonly scale: number;
}

/** A batch ended early because {@link TokenContext.abort} was called. */
export class BatchAborted extends Error {
  override readonly name = "BatchAborted";
  /** Number of tokens of each part that were evaluated, and that its sequence now holds. */
  readonly keptTokens: readonly number[];

  constructor(keptTokens: readonly number[]) {
    super("the batch was aborted");
    this.keptTokens = keptTokens;
  }
}

/**
 * A row of logits contains NaN or +∞, so the contents of its sequence must not be reused. A token
 * drawn from such a row is meaningless, so the generation ends with this error.
 */
export class NotFiniteLogits extends GgufdError {
  constructor() {
    super(
      "internal_error",
      "The model computed non-finite numbers, so no answer can be generated.",
    );
  }
}

/** A text for which tokens are proposed. */
export interface DraftedText {
  readonly sequenceId: number;
  /** Prompt and answer, including the latest token, which is not evaluated yet. */
  readonly tokens: readonly number[];
}

/** Proposes tokens from the hidden states that a context has computed for its sequences. */
export interface StateDrafts {
  /** Maximum number of tokens in a draft. */
  readonly maxLength: number;
  /**
   * @returns up to `length` tokens per sequence; none if its hidden states are unknown, e.g. after
   *   a restore
   * @throws {Error} drafting has failed permanently
   */
  propose(
    texts: readonly DraftedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>>;
}

/**
 * How the cells of a cache are divided. `split`: each sequence has its own stream, which limits its
 * prompt. `unified`: any sequence may take any cell, and copies share cells.
 */
export type CacheLayout =
  | { readonly kind: "split" }
  | { readonly kind: "unified"; readonly cells: number };

/**
 * Whether prompts and decoding sequences share a batch. `separate`: on CPUs in the unified layout,
 * attention computes tiles of 64 tokens, and every token of a tile is computed over the cells that
 * any of them sees; a prompt took twice as long in a batch with eight chats as in separate
 * batches.
 */
export type BatchMixing = "mixed" | "separate";

/**
 * A llama.cpp context: several KV-cache streams that are evaluated together. At most one of its
 * asynchronous calls may be in flight at a time.
 */
export interface TokenContext {
  /** Number of sequences; their ids are 0 to `sequences` − 1. */
  readonly sequences: number;
  readonly layout: CacheLayout;
  readonly mixing: BatchMixing;
  /** Capacity of one batch, in tokens; at least one per sequence. */
  readonly batchSize: number;
  /** Tokens of a batch that are evaluated in one pass; an abort loses at most these. */
  readonly passTokens: number;
  /** Maximum rows of logits per batch; at least one per sequence. */
  readonly maxOutputs: number;
  /**
   * Whether a sequence can be truncated to any length. The state of recurrent and hybrid models can
   * only be continued or emptied; see {@link lowestCut} for sliding-window models.
   */
  readonly partialTruncation: "supported" | "unsupported";
  /**
   * How all tokens but the first of a part of the last batch can be removed again.
   * `truncate`: by {@link truncate}, also in sliding windows, if all parts of more than one token
   * were equally long. `rewind`: recurrent and hybrid models return to a {@link mark}.
   */
  readonly retraction: "truncate" | "rewind";

  /**
   * Expected duration of copying one sequence to another, in milliseconds. In the split layout
   * llama.cpp copies the whole stream of a sequence, whatever the number of tokens in it.
   */
  readonly copyMs: number;

  /**
   * Evaluates a batch in one native call.
   * @param parts in ascending sequence id: in the split layout llama.cpp splits a batch into
   *   sub-batches of consecutive sequences with equal token counts, and each sub-batch reads all
   *   weights once
   * @param next what is known about the next batch; `undecided` by default
   * @returns the requested logits of each part
   */
  evaluate(parts: readonly BatchPart[], next?: NextBatch): Promise<readonly (readonly Logits[])[]>;

  /**
   * Evaluates cells without tokens at the end of a sequence. Must not be called while a batch is
   * evaluated; invalidates all logits.
   */
  evaluateMedia(piece: MediaPiece): Promise<void>;

  /**
   * Sets the adapters for all further batches, replacing the previous ones. Must not be called
   * while a batch is evaluated.
   * @param adapters loaded adapters, by content id
   */
  useAdapters(adapters: readonly AppliedAdapter[]): void;

  /**
   * Announces that the next batch differs from the last one, so that none is started before it is
   * requested.
   */
  hold(): void;

  /** Announces a pause: compute threads leave the cores to others until the next batch. */
  rest(): void;

  /**
   * Aborts the batch in progress, if the library supports it: {@link evaluate} rejects with
   * {@link BatchAborted}, and the sequences keep what earlier passes have evaluated, except for
   * tokens whose logits are requested. Otherwise has no effect.
   */
  abort(): void;

  /**
   * Keeps the part of a sequence before a position; 0 empties it. See {@link partialTruncation} and
   * {@link retraction} for other positions.
   */
  truncate(sequenceId: number, position: number): void;

  /**
   * Returns the lowest position above 0 that {@link truncate} can cut a sequence at: 0 if all are
   * possible, `Infinity` if none is. A sliding-window model can be cut where the next token's window
   * is still in the cache, so the result grows with the sequence. Must not be called while a batch
   * is evaluated.
   */
  lowestCut(sequenceId: number): number;

  /**
   * Empties all sequences and overwrites their cells. {@link truncate} only frees cells: their
   * contents are still multiplied by 0 for sequences with neighbouring cells, and NaN stays NaN.
   */
  clear(): void;

  /**
   * Marks the state of a sequence; only if {@link retraction} is `rewind`. No copy from or to the
   * sequence may be pending until the next batch.
   */
  mark(sequenceId: number): Promise<StateMark>;

  /**
   * Makes a sequence a copy of another one. In the split layout llama.cpp copies with the next
   * batch: until then no state may be restored into either sequence. In the unified layout it
   * copies at once, into an empty sequence.
   */
  copy(from: number, to: number): Promise<void>;

  /**
   * Writes a sequence's state to a file.
   * @returns its size in bytes
   */
  save(sequenceId: number, tokens: readonly number[], path: string): Promise<number>;

  /**
   * Replaces a sequence's state with a saved one.
   * @returns the tokens that it was saved with
   */
  restore(sequenceId: number, path: string): Promise<readonly number[]>;

  createSampler(context: SamplingContext): TokenSampler;

  /** Stops the context's threads. The context must not be used afterwards. */
  close(): void;

  /**
   * Computes the model's own log-probabilities, before penalties, temperature or any other sampling
   * parameter.
   * @param top number of tokens in addition to the requested one, 0 to 20
   * @returns the log-probabilities of each row
   * @throws {NotFiniteLogits}
   */
  logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]>;
}
