import type { AdapterChange, LoadedAdapter } from "./adapters.js";
import type { EngineStatistics } from "./engine-statistics.js";
import type { GenerationEvent } from "./generation-event.js";
import type {
  GenerationDefaults,
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
} from "./generation-request.js";
import type { MediaKind } from "./media.js";
import type { MemoryUse } from "./memory-use.js";
import type { OutputFormat } from "./output-format.js";
import type { ReplicaState } from "./replicas.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "./slot-command.js";
import type { TextService } from "./text-question.js";

/** Properties of a loaded model. Plain data. */
export interface ModelDescription {
  readonly path: string;
  /** `general.name` of the GGUF file, or the file name without it. */
  readonly name: string;
  readonly architecture: string;
  readonly parameters: number;
  readonly sizeBytes: number;
  /** Context length that the model was trained with, in tokens. */
  readonly trainContextSize: number;
  /** Maximum tokens per request, prompt and completion together. */
  readonly contextSize: number;
  readonly vocabularySize: number;
  /** File type, as llama.cpp names it: `Q4_K_M`; absent: the file has none. */
  readonly quantization?: string;
  /** Equal for equal model files and server versions. */
  readonly fingerprint: string;
  /** Jinja chat template; absent: the model has none. */
  readonly chatTemplate?: string;
}

/** Properties of a draft model, or EAGLE-3 head, for speculative decoding. Plain data. */
export interface DraftModelDescription
  extends Pick<ModelDescription, "path" | "architecture" | "parameters" | "sizeBytes"> {
  /** Context size of one slot, in tokens; longer sequences get no drafts from this model. */
  readonly contextSize: number;
  /** Size of its KV cache for all slots. */
  readonly kvCacheBytes: number;
}

/** The llama.cpp build in use: prebuilt from npm, or compiled on this machine. */
export type NativeBuild = "prebuilt" | "local";

/** Numbers of computing threads. Plain data. */
export interface ThreadCounts {
  readonly decode: number;
  /** For batches that consist mostly of prompts. */
  readonly prefill: number;
}

/** The KV cache of all slots. Plain data. */
export interface KvCacheDescription {
  /** Data type: `f16`, `q8_0`; `q8_0/f16` if keys and values differ. */
  readonly type: string;
  /** `split`: each slot has an equal part; `unified`: all slots share the cells. */
  readonly layout: "split" | "unified";
  readonly bytes: number;
}

/** Which of a model's layers are computed on a GPU. */
export type Offloading = "none" | "some-layers" | "all-layers";

/** A loaded model with its device, parallelism and memory use. Plain data. */
export interface EngineDescription {
  readonly model: ModelDescription;
  /** Number of sequences that can generate concurrently. */
  readonly slots: number;
  readonly batchSize: number;
  readonly threads: ThreadCounts;
  readonly kvCache: KvCacheDescription;
  /** Memory that the model takes. */
  readonly memory: MemoryUse;
  /** Human-readable compute device: `CPU`, `CUDA (NVIDIA A10)`. */
  readonly device: string;
  /** Offloading to a GPU; absent: none. */
  readonly offloading?: Offloading;
  /**
   * Device that samples the tokens that need no row of logits on the CPU, e.g. `CUDA0`; absent: the
   * CPU samples all.
   */
  readonly samplingDevice?: string | undefined;
  /** Better devices that are not used, with reasons; absent: no search was made. */
  readonly passedOverDevices?: readonly string[];
  readonly build: NativeBuild;
  /**
   * Parameters used where a request sets none, including llama.cpp's sampling defaults. Absent:
   * unknown.
   */
  readonly defaults?: GenerationDefaults;
  /** System message added to conversations that have none; absent: none is added. */
  readonly systemPrompt?: string;
  readonly outputFormat: OutputFormat;
  /** Whether the model's chat template shows that the model reasons. */
  readonly rendersReasoning?: boolean;
  /** Ids of the tokens with which the model ends its answers. */
  readonly endTokens: readonly number[];
  /** Whether the model has fill-in-the-middle (FIM) tokens. */
  readonly fillsGaps?: boolean;
  /** The draft model, or EAGLE-3 head, for speculative decoding, if there is one. */
  readonly draftModel?: DraftModelDescription | undefined;
  /** LoRA adapters loaded with the model; absent: none. */
  readonly adapters?: readonly LoadedAdapter[];
  /** Kinds of input accepted in addition to text, given by the projector; absent: none. */
  readonly media?: readonly MediaKind[];
  /** Number of the model's multi-token prediction layers that draft tokens; absent: none. */
  readonly mtpLayers?: number;
}

/**
 * Receives an event of a generation.
 * @param tokens generated since the previous event; absent: none, or unknown
 */
export type EmitGeneration = (event: GenerationEvent, tokens?: readonly number[]) => void;

/**
 * Runs generations over one loaded model.
 *
 * Requests and events are plain data and cancellation is by id, so that an engine can run in a
 * separate process.
 */
export interface Engine extends TextService {
  readonly description: EngineDescription;

  /** Statistics of the current process, at most one second old; `undefined`: none received yet. */
  readonly statistics?: EngineStatistics | undefined;

  /** Current state of each replica; absent: the model has one engine. */
  readonly replicas?: readonly ReplicaState[] | undefined;

  /**
   * Renders and tokenises the prompt, validates all lengths and token ids, and holds the result
   * until {@link release}.
   * @throws {GgufdError} `context_length_exceeded`, `chat_template_error`, `invalid_request`
   */
  prepare(request: GenerationRequest): Promise<PreparedRequest>;

  /**
   * Drops a prepared request, or stops preparing it; ignores unknown ids. Generations already
   * started continue.
   */
  release(requestId: string): void;

  /**
   * Starts a generation of a prepared request. `emit` receives its events, never before `start` has
   * returned; the last one is final. A generation without a free slot is queued.
   */
  start(generation: GenerationStart, emit: EmitGeneration): void;

  /**
   * Cancels a generation at the next step; unknown ids are ignored. It emits `cancelled` once its
   * slot is free.
   */
  cancel(id: string): void;

  /**
   * Closes the reasoning of a generation whose request has a `reasoningControl`, after the next
   * token.
   * @returns whether the generation was reasoning; false for unknown ids
   */
  endReasoning(id: string): Promise<boolean>;

  /** State of each slot. */
  slots(): Promise<readonly EngineSlot[]>;

  /**
   * Saves, restores or erases a slot, after the generation that occupies it has ended.
   * @throws {GgufdError} `invalid_request`, `not_found`, `storage_unavailable`,
   *   `server_overloaded`, `unsupported_operation`
   */
  command(command: SlotCommand): Promise<SlotOutcome>;

  /**
   * Limits the number of compute threads from the next step on.
   * @param limit `undefined`: no limit
   */
  limitThreads(limit: number | undefined): void;

  /**
   * Loads an adapter, or frees one that no generation uses any more.
   * @returns all adapters that are then loaded
   * @throws {GgufdError} `invalid_request`: the adapter's file or name is invalid
   */
  adapt(change: AdapterChange): Promise<readonly LoadedAdapter[]>;

  /** Cancels all generations and frees the model. */
  close(): Promise<void>;
}
