import { GgufdError } from "../../core/errors.js";
import type { SamplingOptions } from "../sampling/sampling-options.js";

/** An image or a piece of audio, as a context evaluates it. */
export interface EncodedMedia {
  readonly cells: number;
  /** The embeddings of all cells, one row after the other. */
  readonly rows: Float32Array;
  /** Whether a cell sees those before it alone. If not, all cells are evaluated at once. */
  readonly isCausal: boolean;
  /** The first three axes of each cell's position, from that of the first cell on (M-RoPE); absent: positions are numbers. */
  readonly grid?: Int32Array | undefined;
}

/** Cells of an image or a piece of audio that are evaluated at once. */
export interface MediaPiece {
  readonly sequenceId: number;
  /** Of the first cell of all of it. */
  readonly position: number;
  readonly media: EncodedMedia;
  /** The first of its cells that is evaluated, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

/** The tokens of one sequence in a batch. */
export interface BatchPart {
  readonly sequenceId: number;
  /** Position of the first of `tokens`: its place in the sequence, if no media are before it (`positionOf`). */
  readonly position: number;
  readonly tokens: readonly number[];
  /** Index of the first of `tokens` whose logits are computed; `tokens.length`: none are. */
  readonly logitsFrom: number;
  /** Absent: nothing is drawn while it is evaluated. */
  readonly draws?: PartDraws | undefined;
}

/**
 * What is going to be sampled from a part's rows, the first of them first. A context may draw it in the call that
 * evaluates the part, and has it when the sampler is asked.
 */
export interface PartDraws {
  readonly sampler: TokenSampler;
  /** Tokens that are generated again: they take the place of the first drawn ones. */
  readonly given: readonly number[];
  /** Whose probabilities are asked for, and of how many tokens beside the drawn one; absent: nobody's. */
  readonly scores?: { readonly of: "model" | "sampling"; readonly top: number } | undefined;
  /** Whether the drawn token may be followed by another one, as far as the length tells. */
  readonly mayFollow: boolean;
}

/**
 * What the caller knows of the next batch. `alike`: each part draws one token, and is followed by that token if it does
 * not end the text: the context may begin with it. `undecided`: something else may come.
 */
export type NextBatch = "alike" | "undecided";

/** Handle of one row of logits; valid until the next batch is evaluated. */
export type Logits = number & { readonly __logits: never };

/** What a generation may write next; it changes with each token. */
export interface TokenConstraint {
  /** Whether a token may come next. */
  allows(token: number): boolean;
  /** The tokens that may come next: a bit for each of the vocabulary, lowest first. */
  allowedTokens(): Uint32Array;
}

/** What a sampler depends on. */
export interface SamplingContext {
  readonly options: SamplingOptions;
  readonly promptTokens: readonly number[];
  /** The list grows as the generation goes on. */
  readonly generated: readonly number[];
  /** Absent: any token may come next. */
  readonly constraint?: TokenConstraint | undefined;
}

/** A token, and the row of logits that it may have been drawn from. */
export interface TokenOfRow {
  readonly logits: Logits;
  readonly token: number;
}

/** The log-softmax of a row of logits, or of what sampling has left of it, of some tokens. */
export interface LogProbabilities {
  /** Of the token that was asked about, or drawn. */
  readonly logProbability: number;
  /** The most probable tokens, in descending order. */
  readonly top: readonly { readonly token: number; readonly logProbability: number }[];
}

/** A token, and the probabilities that it was drawn with. */
export interface ScoredDraw {
  readonly token: number;
  readonly probabilities: LogProbabilities;
}

/** A token, with its probabilities if they were asked for. */
export type Drawn = Pick<ScoredDraw, "token"> & {
  readonly probabilities?: LogProbabilities | undefined;
};

/** A token that is drawn because there is no other. */
export function certainDraw(token: number, top: number): ScoredDraw {
  const tokens = top > 0 ? [{ token, logProbability: 0 }] : [];
  return { token, probabilities: { logProbability: 0, top: tokens } };
}

/** Samples the tokens of one generation. */
export interface TokenSampler {
  /** What was drawn from a row with its batch, as {@link PartDraws} asked; `undefined`: it is to be sampled. */
  drawn(logits: Logits): Drawn | undefined;
  /** @throws {NotFiniteLogits} */
  sample(logits: Logits): Promise<number>;
  /**
   * Samples the same token.
   * @param top number of possible tokens whose probabilities are returned, at most
   * @throws {NotFiniteLogits}
   */
  sampleScored(logits: Logits, top: number): Promise<ScoredDraw>;
  dispose(): void;
}

/** The state of a sequence at the moment when it was marked. */
export interface StateMark {
  /**
   * Puts the sequence back to that state. It must have been continued only: neither emptied nor
   * replaced. A mark can be used once.
   */
  rewind(): Promise<void>;
  /** Frees its memory; to be called in any case. */
  dispose(): void;
}

/** A LoRA adapter that is applied to the model. */
export interface AppliedAdapter {
  /** Names its content. */
  readonly id: string;
  /** What its part is multiplied by. */
  readonly scale: number;
}

/** A batch was not evaluated because {@link TokenContext.abort} was called. */
export class BatchAborted extends Error {
  override readonly name = "BatchAborted";

  constructor() {
    super("the batch was aborted");
  }
}

/**
 * A row of logits has NaN or +∞ in it: what the sequence holds is not to be reused. A token drawn from such
 * a row says nothing about the text, so its generation ends with this error.
 */
export class NotFiniteLogits extends GgufdError {
  constructor() {
    super("internal_error", "The model computed numbers that are not finite: there is no answer.");
  }
}

/** A text that tokens are proposed for. */
export interface DraftedText {
  readonly sequenceId: number;
  /** Prompt and answer, the latest token included, which is not evaluated yet. */
  readonly tokens: readonly number[];
}

/** Proposes tokens by the hidden states that a context has computed for its sequences. */
export interface StateDrafts {
  /** Tokens of one draft at most. */
  readonly maxLength: number;
  /**
   * @returns by sequence, `length` tokens or fewer; none where the states are not known, as after a sequence was restored.
   * @throws {Error} nothing will be proposed any more
   */
  propose(
    texts: readonly DraftedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>>;
}

/**
 * How the cells of a cache are divided. `split`: each sequence has a stream of its own, and a prompt
 * cannot exceed it. `unified`: any sequence may take any cell, and copies share theirs.
 */
export type CacheLayout =
  | { readonly kind: "split" }
  | { readonly kind: "unified"; readonly cells: number };

/**
 * Whether prompts and sequences that decode are evaluated best in one batch. `apart`: on CPUs in the
 * unified layout, where attention computes tiles of 64 tokens, and what one of them sees all of them
 * compute; a prompt beside eight chats took twice as long as in batches of its own.
 */
export type BatchMixing = "mixed" | "separate";

/**
 * A context of llama.cpp: several KV-cache streams that are evaluated together. At most one of its
 * asynchronous calls may be in flight at a time.
 */
export interface TokenContext {
  /** Number of sequences; their ids are 0 to `sequences` − 1. */
  readonly sequences: number;
  readonly layout: CacheLayout;
  readonly mixing: BatchMixing;
  /** Capacity of one batch, in tokens; at least one for each sequence. */
  readonly batchSize: number;
  /** Rows of logits that one batch may request; at least one for each sequence. */
  readonly maxOutputs: number;
  /**
   * Whether a sequence can be truncated to any length. The state of recurrent, hybrid and
   * sliding-window models can only be continued or emptied.
   */
  readonly partialTruncation: "supported" | "unsupported";
  /**
   * How tokens of the last batch are taken back, all but the first of a sequence's part. `truncate`:
   * by {@link truncate}, also in sliding windows, if all parts of more than one token were equally
   * long. `rewind`: recurrent and hybrid models go back to a {@link mark}.
   */
  readonly retraction: "truncate" | "rewind";

  /**
   * Expected duration of copying one sequence to another, in milliseconds. In the split layout
   * llama.cpp copies the whole stream of a sequence, whatever the number of tokens in it.
   */
  readonly copyMs: number;

  /**
   * Evaluates a batch in one native call.
   * @param parts in ascending sequence id: in the split layout llama.cpp splits a batch into sub-batches
   *   of consecutive sequences with equal token counts, and each sub-batch reads all weights once
   * @param next what is known of the batch behind it; `undecided` by default
   * @returns the requested logits of each part
   */
  evaluate(parts: readonly BatchPart[], next?: NextBatch): Promise<readonly (readonly Logits[])[]>;

  /**
   * Evaluates cells that have no tokens, behind all that the sequence holds. No batch is being evaluated, and no
   * logits are valid afterwards.
   */
  evaluateMedia(piece: MediaPiece): Promise<void>;

  /**
   * Batches are computed under these adapters from now on, and no others. No batch is being evaluated.
   * @param adapters that are loaded, by what names their content
   */
  useAdapters(adapters: readonly AppliedAdapter[]): void;

  /** The next batch is not going to be like the last one: nothing is begun before it is asked for. */
  hold(): void;

  /** Nothing is evaluated for a while: what computes leaves the cores to others until the next batch. */
  rest(): void;

  /**
   * Ends the batch that is being evaluated, where the library can: {@link evaluate} rejects with a
   * {@link BatchAborted}, and none of the batch's tokens is held. Otherwise without effect.
   */
  abort(): void;

  /**
   * Keeps what a sequence holds before a position; 0 empties it. See {@link partialTruncation} and
   * {@link retraction} for other positions.
   */
  truncate(sequenceId: number, position: number): void;

  /**
   * Empties all sequences, and overwrites their cells. {@link truncate} only frees cells: what stands in them is
   * still multiplied, by 0, for sequences with cells beside them, and NaN stays NaN.
   */
  clear(): void;

  /**
   * Marks the state of a sequence, only where {@link retraction} is `rewind`. No copy from or to the
   * sequence may wait for the next batch.
   */
  mark(sequenceId: number): Promise<StateMark>;

  /**
   * Makes a sequence a copy of another one. In the split layout llama.cpp copies with the next batch:
   * until then no state may be restored into either of them. In the unified one it copies at once,
   * into an empty sequence.
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

  /** Ends what it has started. Nothing may be asked of it any more. */
  close(): void;

  /**
   * Log-probabilities by the model itself: before penalties, temperature, or any other sampling parameter.
   * @param top number of tokens beside the one asked about, 0 to 20
   * @returns those of each row
   * @throws {NotFiniteLogits}
   */
  logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]>;
}
