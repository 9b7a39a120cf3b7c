import type { Caller } from "./caller.js";
import type { ModelDescription, NativeBuild, Offloading, ThreadCounts } from "./engine.js";
import type { MemoryUse } from "./memory-use.js";
import type { TextService } from "./text-question.js";

/** What a pooling model reads at once and answers with one vector. */
export type PooledContent =
  | { readonly type: "text"; readonly text: string }
  /** As they are: no token is added. */
  | { readonly type: "tokens"; readonly tokens: readonly number[] }
  /** What a reranking model scores. */
  | { readonly type: "pair"; readonly query: string; readonly document: string };

export interface PooledInput {
  readonly content: PooledContent;
  /** The request's field, for errors about it: `input.3`. */
  readonly field: string;
}

/** Inputs to a pooling model. Plain data. */
export interface PoolingRequest {
  readonly id: string;
  readonly inputs: readonly PooledInput[];
  /** What becomes of inputs that are longer than the model can read. Of a pair, the document is cut. */
  readonly tooLong: "refused" | "cut-at-end" | "cut-at-start";
}

/** The vectors or scores of the inputs. Plain data. */
export interface PoolingAnswer {
  /** One for each input, in their order, as the model computed them; a score is a vector of length 1. */
  readonly vectors: readonly Float32Array[];
  /** Of all inputs, in tokens, those that the model adds included. */
  readonly promptTokens: number;
}

/** How the states of an input's tokens become one vector. */
export type Pooling = "mean" | "cls" | "last" | "rank";

/** Properties of a loaded embedding model. */
export interface EmbeddingDescription extends PoolingModelDescription {
  readonly kind: "embedding";
  readonly pooling: Exclude<Pooling, "rank">;
  /** The length of its vectors. */
  readonly dimensions: number;
}

/** Properties of a loaded reranking model. */
export interface RerankingDescription extends PoolingModelDescription {
  readonly kind: "reranking";
  readonly pooling: "rank";
  /** `logit`: any number, from which a sigmoid makes a probability. */
  readonly scoreScale: "logit" | "probability";
}

/** Properties of a loaded pooling model. Plain data. */
export type PoolingDescription = EmbeddingDescription | RerankingDescription;

interface PoolingModelDescription {
  /** Its `contextSize` is what one input may hold, in tokens. */
  readonly model: ModelDescription;
  /** Inputs that are read in one batch at most. */
  readonly sequences: number;
  readonly threads: ThreadCounts;
  /** What it takes. */
  readonly memory: MemoryUse;
  /** Human-readable compute device: `CPU`, `CUDA (NVIDIA A10)`. */
  readonly device: string;
  /** Absent: none. */
  readonly offloading?: Offloading;
  /** Better devices that are not used, and why; absent: none was looked for. */
  readonly passedOverDevices?: readonly string[];
  readonly build: NativeBuild;
}

/** Creates embeddings, or ranks documents, with one loaded model. */
export interface PoolingService {
  /**
   * Pools all inputs of a request, or none. Aborting its caller's signal ends it in every state: then it rejects
   * with the signal's reason.
   * @throws {GgufdError} `context_length_exceeded`, `invalid_request` for unknown tokens,
   *   `server_overloaded`, `model_unavailable`
   */
  pool(request: PoolingRequest, caller: Caller): Promise<PoolingAnswer>;
}

/**
 * Computes vectors and scores over one loaded model. Requests are plain data and cancellation is by id, so
 * that it can run in a process of its own.
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
  /** @param limit of its computing threads, from its next batch on; `undefined`: none */
  limitThreads(limit: number | undefined): void;
  /** Cancels all requests and frees the model. */
  close(): Promise<void>;
}
