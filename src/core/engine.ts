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
  /** What one request may hold, in tokens: prompt and completion together. */
  readonly contextSize: number;
  readonly vocabularySize: number;
  /** Of most weights, as llama.cpp names types of files: `Q4_K_M`; absent: the file does not say. */
  readonly quantization?: string;
  /** Equal for equal model files and server versions. */
  readonly fingerprint: string;
  /** In Jinja, as conversations are rendered; absent: there are none with this model. */
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
  /** Data type: `f16`, `q8_0`; `q8_0/f16` if that of keys is not that of values. */
  readonly type: string;
  /** `split`: each slot has an equal part; `unified`: a request may have all that is free. */
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
  /** What it takes. */
  readonly memory: MemoryUse;
  /** Human-readable compute device: `CPU`, `CUDA (NVIDIA A10)`. */
  readonly device: string;
  /** Absent: none. */
  readonly offloading?: Offloading;
  /** Where tokens are sampled that need no row of logits, e.g. `CUDA0`; absent: on the CPU, as the others. */
  readonly samplingDevice?: string | undefined;
  /** Better devices that are not used, and why; absent: none was looked for. */
  readonly passedOverDevices?: readonly string[];
  readonly build: NativeBuild;
  /**
   * What holds where a request is silent, llama.cpp's defaults of sampling included. Absent: it is not known.
   */
  readonly defaults?: GenerationDefaults;
  /** The system message of conversations that have none; absent: they stay without. */
  readonly systemPrompt?: string;
  readonly outputFormat: OutputFormat;
  /** Whether the model's chat template shows that the model reasons. */
  readonly rendersReasoning?: boolean;
  /** Ids of the tokens with which the model ends its answers. */
  readonly endTokens: readonly number[];
  /** Whether the model has tokens for the texts around a gap. */
  readonly fillsGaps?: boolean;
  /** The draft model, or EAGLE-3 head, for speculative decoding, if there is one. */
  readonly draftModel?: DraftModelDescription | undefined;
  /** LoRA adapters that it was loaded with; absent: none. */
  readonly adapters?: readonly LoadedAdapter[];
  /** What it takes beside text, by its projector; absent: nothing. */
  readonly media?: readonly MediaKind[];
  /** The model's own layers for multi-token prediction that propose tokens; absent: none do. */
  readonly mtpLayers?: number;
}

/**
 * Receives an event of a generation.
 * @param tokens generated since the event before; absent: none, or it is not known which
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

  /** Of the present process, at most a second old; `undefined`: it has told none yet. */
  readonly statistics?: EngineStatistics | undefined;

  /**
   * Renders and tokenises the prompt, validates all lengths and token ids, and holds the result until
   * {@link release}.
   * @throws {GgufdError} `context_length_exceeded`, `chat_template_error`, `invalid_request`
   */
  prepare(request: GenerationRequest): Promise<PreparedRequest>;

  /**
   * Forgets a request that was prepared, and stops preparing one that is not; unknown ids are ignored. Its generations that
   * have been started go on.
   */
  release(requestId: string): void;

  /**
   * Starts a generation of a request that is prepared. `emit` receives its events, never before `start` has
   * returned; the last one is final. A generation without a free slot is queued.
   */
  start(generation: GenerationStart, emit: EmitGeneration): void;

  /**
   * Cancels a generation at the next step; unknown ids are ignored. It emits `cancelled` once its
   * slot is free.
   */
  cancel(id: string): void;

  /** What each slot holds. */
  slots(): Promise<readonly EngineSlot[]>;

  /**
   * Saves, restores or empties a slot, when the generation that has it has ended.
   * @throws {GgufdError} `invalid_request`, `not_found`, `storage_unavailable`, `server_overloaded`,
   *   `unsupported_operation`
   */
  command(command: SlotCommand): Promise<SlotOutcome>;

  /** @param limit of its computing threads, from its next step on; `undefined`: none */
  limitThreads(limit: number | undefined): void;

  /**
   * Loads an adapter beside the others, or frees one that no generation uses any more.
   * @returns those that are loaded then
   * @throws {GgufdError} `invalid_request`: its file or name will not do
   */
  adapt(change: AdapterChange): Promise<readonly LoadedAdapter[]>;

  /** Cancels all generations and frees the model. */
  close(): Promise<void>;
}
