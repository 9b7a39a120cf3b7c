import type { GenerationEvent } from "./generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "./generation-request.js";

/** What is known of a loaded model. Plain data. */
export interface ModelDescription {
  readonly path: string;
  /** `general.name` of the GGUF file, else the file's name. */
  readonly name: string;
  readonly architecture: string;
  readonly parameters: number;
  readonly sizeBytes: number;
  /** Context that the model was trained with, in tokens. */
  readonly trainContextSize: number;
  /** Context of one slot, in tokens: prompt and completion together. */
  readonly contextSize: number;
  readonly vocabularySize: number;
  /** Same model file and server version, same fingerprint. */
  readonly fingerprint: string;
}

/** What is known of a model that proposes tokens. Plain data. */
export interface DraftModelDescription
  extends Pick<ModelDescription, "path" | "architecture" | "parameters" | "sizeBytes"> {
  /** Context of one slot, in tokens: it follows texts up to this length. */
  readonly contextSize: number;
  /** What its KV cache takes for all slots. */
  readonly kvCacheBytes: number;
}

/** Which llama.cpp computes: the ready-built one from npm, or one compiled on this machine. */
export type NativeBuild = "prebuilt" | "local";

/** Where and how wide a model runs. Plain data. */
export interface EngineDescription {
  readonly model: ModelDescription;
  /** Sequences that generate at the same time. */
  readonly slots: number;
  readonly batchSize: number;
  readonly threads: number;
  /** What the KV cache of all slots takes, and the type of its numbers (`f16`, `q8_0`). */
  readonly kvCache: { readonly type: string; readonly bytes: number };
  /** What computes, in words: `CPU`, `CUDA (NVIDIA A10)`. */
  readonly device: string;
  readonly build: NativeBuild;
  /** The model that proposes tokens to it, if there is one. */
  readonly draftModel?: DraftModelDescription | undefined;
}

/**
 * Runs generations over one loaded model.
 *
 * Requests in and events out are plain data and cancellation goes by id, so that an engine can
 * live in a process of its own.
 */
export interface Engine {
  readonly description: EngineDescription;

  /**
   * Renders and tokenises the prompt and checks every length and token id.
   * @throws {GgufdError} `context_length_exceeded`, `chat_template_error`, `invalid_request`
   */
  prepare(request: GenerationRequest): Promise<PreparedGeneration>;

  /**
   * Starts a generation. `emit` is called with its events, never before `start` has returned;
   * the last one is final. A generation beyond the free slots waits its turn.
   */
  start(prepared: PreparedGeneration, emit: (event: GenerationEvent) => void): void;

  /**
   * Ends a generation at the next step; unknown ids are ignored. It emits `cancelled` once its
   * slot is free.
   */
  cancel(id: string): void;

  /** Ends all generations and frees the model. */
  close(): Promise<void>;
}
