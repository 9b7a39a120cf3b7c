import type { GgufdError } from "./errors.js";
import type { HubQuery, HubSearch } from "./hub-search.js";
import type { KeepTime } from "./keep-time.js";
import type { MemoryUse } from "./memory-use.js";
import type { ModelActivity, ModelKind, ModelState, ServedModel } from "./model-directory.js";
import type { PullEvent } from "./pull-event.js";

/** Contents of the header of a model file. */
export interface ModelFileFacts {
  readonly kind: ModelKind;
  readonly architecture: string;
  readonly parameters: number;
  /** llama.cpp's name of the file type, such as `Q4_K_M`; `undefined` if the file has none. */
  readonly quantization: string | undefined;
  /** Context length that the model was trained with, in tokens. */
  readonly trainContextSize: number | undefined;
}

/** Texts and parameters that accompany a model's weights, in Ollama's terms. */
export interface ModelTexts {
  readonly system: string | undefined;
  /**
   * Template in Go's template language, which ggufd does not interpret: the chat template of the
   * model file is used.
   */
  readonly template: string | undefined;
  /** Options by Ollama's names, such as `temperature`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly licenses: readonly string[];
}

/** Facts about a stored model that are known without reading its files. */
export interface StoredFacts {
  /** Total size of the model's files. */
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** SHA-256 of the first file in hexadecimal digits, if known without reading the file. */
  readonly sha256: string | undefined;
}

/**
 * Reason why a server hides all stored models: `--stored-models hide`, or by default because the
 * models to serve were configured, or because it was configured to serve none.
 */
export type StoredModelsHiddenBy = "setting" | "configured-models" | "no-model";

/**
 * Origin of a model, which decides who removes it: `configured` by the operator; `added` by the
 * operator as a file stored elsewhere; in ggufd's `own` folder; or found in the folder of another
 * program.
 */
export type ModelSource = "configured" | "own" | "added" | "other-program";

/**
 * Model that can be requested by its name. The contents of its files are queried separately,
 * because that requires reading them.
 */
export interface LibraryModel extends ModelActivity {
  readonly from: ModelSource;
  /**
   * Time at which the model is unloaded if no request uses it before, in milliseconds since the
   * Unix epoch; `undefined` if it stays loaded, or is not loaded.
   */
  readonly expiresAtMs: number | undefined;
  /** Facts about the stored files; `undefined` if the files no longer exist. */
  readonly stored: StoredFacts | undefined;
  /** Error of the last load, until the model is loaded again; `undefined`: it has not failed. */
  readonly failure: GgufdError | undefined;
  /**
   * Time of the last request to the model, in milliseconds since the Unix epoch; `undefined`: none
   * since the server started.
   */
  readonly lastUsedMs: number | undefined;
  /** Memory that the model takes, or took or was planned to take; `undefined`: not known yet. */
  readonly memory: MemoryUse | undefined;
  /** Whether the model is loaded with a projector, which makes it accept images or audio. */
  readonly hasProjector: boolean;
}

/** Pull in progress. */
export interface OngoingPull {
  /** Name as requested. */
  readonly name: string;
  readonly files: readonly PullingFile[];
}

export interface PullingFile {
  /** Path relative to ggufd's model folder. */
  readonly path: string;
  readonly completedBytes: number;
  /** Size of the file; `undefined`: not reported by the source yet. */
  readonly totalBytes: number | undefined;
}

/** Events for followers of all models. */
export type LibraryEvent =
  | {
      readonly type: "state";
      readonly model: string;
      readonly state: ModelState;
      /** The loaded model; `undefined` while it is not in memory. */
      readonly loaded: ServedModel | undefined;
      /** Error of a load that has failed. @default none */
      readonly failure?: GgufdError | undefined;
    }
  | { readonly type: "pulling"; readonly pull: OngoingPull }
  | { readonly type: "pulled"; readonly name: string }
  /** `reason` is intended for clients. */
  | { readonly type: "pull-failed"; readonly name: string; readonly reason: string }
  | { readonly type: "removed"; readonly model: string }
  /** New models have appeared in the list. */
  | { readonly type: "listed-anew" };

/** Recipe of a model that is derived from another one. */
export interface ModelRecipe {
  /** Name of an existing model. */
  readonly from: string;
  /** Texts that replace those of the base model; an absent text is inherited. */
  readonly texts: Partial<Omit<ModelTexts, "template">>;
}

export interface PullRequest {
  /** Aborts the pull; downloaded data is kept, and the next pull resumes from it. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: PullEvent) => void;
}

/** Models on this machine, loaded or not, and the operations with which clients change them. */
export interface ModelLibrary {
  /** Lists all models that can be requested, configured ones first. Rescans the stored models. */
  list(): Promise<readonly LibraryModel[]>;
  /**
   * Reads the configured models again. Models that have changed or are configured no more are
   * unloaded when their requests have ended.
   * @throws {GgufdError} `invalid_request`: the configuration is invalid, and nothing has changed
   */
  reload(): Promise<void>;
  /**
   * Finds a model by any name that the directory accepts, including that of one of its adapters.
   * @throws {GgufdError} `model_not_found`, `shutting_down`
   */
  findEntry(name: string): Promise<LibraryModel>;
  /**
   * Reads the headers of model files and returns them by model name. A model without an entry has
   * an unreadable header and therefore cannot be loaded. Headers that are not known yet are read in
   * a single process, which takes about a second.
   */
  readHeaders(models: readonly LibraryModel[]): Promise<ReadonlyMap<string, ModelFileFacts>>;
  /** Returns the texts that accompany a model's weights. */
  readTexts(model: LibraryModel): Promise<ModelTexts>;
  /**
   * Loads a model, and resolves when it is loaded.
   * @throws {GgufdError} the errors of {@link ModelDirectory.resolve}
   */
  load(name: string, signal: AbortSignal): Promise<ServedModel>;
  /**
   * Unloads a model after its requests have ended, and resolves then; resolves at once if the model
   * is not loaded.
   * @throws {GgufdError} `model_not_found`, `shutting_down`
   */
  unload(name: string): Promise<void>;
  /**
   * Sets the idle time after which a model, selected by its own name or that of an adapter, is
   * unloaded. Applies until the model has been unloaded. 0 unloads it as soon as its requests have
   * ended.
   * @throws {GgufdError} `model_not_found`
   */
  keepAlive(name: string, time: KeepTime): void;
  /**
   * Downloads a model, or the changed parts of it; resolves when the model can be requested.
   * @param name `hf:user/repo[:QUANT]`, `user/repo[:QUANT]` or `ollama:name[:tag]`; no URL and no
   *   path
   * @throws {GgufdError} `invalid_request`, `model_not_found`, `pull_failed`, `storage_full`,
   *   `storage_unavailable`, `unsupported_operation` if downloads are disabled; the signal's reason
   */
  pull(name: string, request: PullRequest): Promise<LibraryModel>;
  /**
   * Starts a pull in the background, whose progress {@link follow} reports.
   * @throws {GgufdError} `invalid_request`, `unsupported_operation`
   */
  beginPull(name: string): void;
  /**
   * Aborts a pull in the background.
   * @returns whether there was one of this name
   */
  endPull(name: string): boolean;
  /** Pulls in progress in the background. */
  readonly pulls: readonly OngoingPull[];
  /** Whether models can be pulled: stored models are served, and downloads are not disabled. */
  readonly canPull: boolean;
  /**
   * Searches the Hugging Face hub for models that can be pulled.
   * @throws {GgufdError} `unsupported_operation` if downloads are disabled; `pull_failed`: the hub
   *   cannot be reached, or its answer is invalid; the signal's reason
   */
  searchHub(query: HubQuery, signal: AbortSignal): Promise<HubSearch>;
  /**
   * Unloads a stored model and removes ggufd's files of it. A background pull of the model is
   * aborted first; its downloaded data is kept, as with any aborted pull.
   * @throws {GgufdError} `model_not_found`; `invalid_request` for a model that is configured or
   *   belongs to another program; `model_in_use`
   */
  remove(name: string): Promise<void>;
  /**
   * Adds another name for a stored model, which keeps its present name.
   * @throws {GgufdError} `model_not_found`, `invalid_request`
   */
  copy(name: string, to: string): Promise<LibraryModel>;
  /**
   * Creates a model under a new name from another model's files, with its own texts. A model that
   * was created under that name before is replaced.
   * @throws {GgufdError} `model_not_found`, `invalid_request`
   */
  make(name: string, recipe: ModelRecipe): Promise<LibraryModel>;
  /**
   * Subscribes to events of all models.
   * @returns the function that ends the subscription
   */
  follow(listener: (event: LibraryEvent) => void): () => void;
}
