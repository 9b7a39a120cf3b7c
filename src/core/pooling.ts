import type { Caller } from "./caller.js";
import type { ModelDescription, NativeBuild, Offloading, ThreadCounts } from "./engine.js";
import type { MemoryUse } from "./memory-use.js";
import type { TextService } from "./text-question.js";

/**
 * Input that a pooling model evaluates as a unit and answers with one vector, or without a pooling
 * method with one per token.
 */
export type PooledContent =
  | { readonly type: "text"; readonly text: string }
  /** Tokens that are evaluated unchanged: no token is added. */
  | { readonly type: "tokens"; readonly tokens: readonly number[] }
  /** Texts and tokens in one input. Tokens are added only around a text at its beginning. */
  | { readonly type: "mixed"; readonly parts: readonly (string | number)[] }
  /** Query and document that a reranking model scores. */
  | { readonly type: "pair"; readonly query: string; readonly document: string };

export interface PooledInput {
  readonly content: PooledContent;
  /** Request field, for errors about the input: `input.3`. */
  readonly field: string;
}

/** Inputs to a pooling model. Plain data. */
export interface PoolingRequest {
  readonly id: string;
  readonly inputs: readonly PooledInput[];
  /**
   * Handling of inputs that are longer than the model's context. Of a pair, the document is
   * truncated.
   */
  readonly overlongInputs: "refused" | "cut-at-end" | "cut-at-start";
  /**
   * Maximum tokens of one input, which the key of the request sets; absent: the model's context.
   */
  readonly maxInputTokens?: number;
}

/** Vectors or scores of the inputs. Plain data. */
export interface PoolingAnswer {
  /**
   * One vector per input, in input order, as the model computed it; a score is a vector of length
   * 1. With the pooling method `none`, the vectors of all tokens of an input, one after the other.
   */
  readonly vectors: readonly Float32Array[];
  /** Total tokens of all inputs, including tokens that the model adds. */
  readonly promptTokens: number;
}

/** Method that combines the states of an input's tokens into one vector; `none` returns them all. */
export type Pooling = "none" | "mean" | "cls" | "last" | "rank";

/** Properties of a loaded embedding model. */
export interface EmbeddingDescription extends PoolingModelDescription {
  readonly kind: "embedding";
  readonly pooling: Exclude<Pooling, "rank">;
  /** Length of the vectors. */
  readonly dimensions: number;
}

/** Properties of a loaded reranking model. */
export interface RerankingDescription extends PoolingModelDescription {
  readonly kind: "reranking";
  readonly pooling: "rank";
  /** Scale of the scores. `logit`: any number, which a sigmoid converts to a probability. */
  readonly scoreScale: "logit" | "probability";
}

/** Properties of a loaded pooling model. Plain data. */
export type PoolingDescription = EmbeddingDescription | RerankingDescription;

interface PoolingModelDescription {
  /** Description of the model; its `contextSize` is the maximum length of one input, in tokens. */
  readonly model: ModelDescription;
  /** Maximum number of inputs per batch. */
  readonly sequences: number;
  readonly threads: ThreadCounts;
  /** Memory that the model takes. */
  readonly memory: MemoryUse;
  /** Human-readable compute device: `CPU`, `CUDA (NVIDIA A10)`. */
  readonly device: string;
  /** Offloading to a GPU; absent: none. */
  readonly offloading?: Offloading;
  /** Better devices that are not used, with reasons; absent: no search was made. */
  readonly passedOverDevices?: readonly string[];
  readonly build: NativeBuild;
}

/** Creates embeddings, or ranks documents, with one loaded model. */
export interface PoolingService {
  /**
   * Pools either all inputs of a request or none. Aborting the caller's signal ends the request in
   * every state; it then rejects with the signal's reason.
   * @throws {GgufdError} `context_length_exceeded`, `invalid_request` for unknown tokens,
   *   `server_overloaded`, `model_unavailable`
   */
  pool(request: PoolingRequest, caller: Caller): Promise<PoolingAnswer>;
}

/**
 * Computes vectors and scores with one loaded model. Requests are plain data and cancellation is by
 * id, so that the engine can run in a separate process.
 */
export interface PoolingEngine extends TextService {
  readonly description: PoolingDescription;
  /**
   * Tokenises, checks and pools the inputs.
   * @returns `cancelled` after {@link cancel}
   * @throws {GgufdError} `context_length_exceeded`, `invalid_request`, `model_unavailable`
   */
  pool(request: PoolingRequest): Promise<PoolingAnswer | "cancelled">;
  /** Ends a request before its next batch; unknown ids are ignored. */
  cancel(id: string): void;
  /**
   * Limits the number of compute threads from the next batch on.
   * @param limit `undefined`: no limit
   */
  limitThreads(limit: number | undefined): void;
  /** Cancels all requests and frees the model. */
  close(): Promise<void>;
}

/**
 * Normalisation of vectors, as llama.cpp numbers it. -1: none; 0: the largest magnitude becomes
 * 32,760; otherwise the p-norm with this p becomes 1, so that 2 gives unit length (L2).
 */
export type Normalisation = number;

export const UNIT_LENGTH: Normalisation = 2;

/** Smallest and largest {@link Normalisation}. */
export const NORMALISATIONS = [-1, 2 ** 31 - 1] as const;
