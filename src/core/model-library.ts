import type { KeepTime } from "./keep-time.js";
import type { ModelActivity, ModelKind, ModelState, ServedModel } from "./model-directory.js";
import type { PullEvent } from "./pull-event.js";

/** What the header of a model's file says. */
export interface ModelFileFacts {
  readonly kind: ModelKind;
  readonly architecture: string;
  readonly parameters: number;
  /** llama.cpp's name of the file's type, such as `Q4_K_M`; `undefined`: the file has none. */
  readonly quantization: string | undefined;
  /** Tokens that it was trained with. */
  readonly trainContextSize: number | undefined;
}

/** What goes with a model's weights, in Ollama's terms. */
export interface ModelTexts {
  readonly system: string | undefined;
  /** In Go's template language, which ggufd does not read: the chat template of the model's file is used. */
  readonly template: string | undefined;
  /** Options by Ollama's names, as `temperature`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly licenses: readonly string[];
}

/** What is stored of a model, as far as no file has to be read for it. */
export interface StoredFacts {
  /** Of all its files. */
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Of its first file, where it is known without reading that: hexadecimal digits. */
  readonly sha256: string | undefined;
}

/**
 * Why a server serves none of the models that are stored: `--stored-models hide`, or by default because it was told
 * which models it serves, or to serve none.
 */
export type StoredModelsHiddenBy = "setting" | "configured-models" | "no-model";

/**
 * Who has brought a model here, and so who removes it: the operator, who `configured` it or has `added` a file that is
 * somewhere else; ggufd, whose `own` folder it is in; or another program, in whose folder it was found.
 */
export type ModelSource = "configured" | "own" | "added" | "other-program";

/** A model that can be asked for by its name. What its files say is asked for apart, because it takes reading them. */
export interface LibraryModel extends ModelActivity {
  readonly from: ModelSource;
  /** When it goes if nobody asks for it until then, in milliseconds since the Unix epoch; `undefined`: it stays, or is not loaded. */
  readonly expiresAtMs: number | undefined;
  /** `undefined`: its files are not there any more. */
  readonly stored: StoredFacts | undefined;
}

/** A pull that goes on. */
export interface OngoingPull {
  /** As it was asked for. */
  readonly name: string;
  readonly files: readonly PullingFile[];
}

export interface PullingFile {
  /** Below ggufd's folder of models. */
  readonly path: string;
  readonly completedBytes: number;
  /** `undefined`: its source has not said yet. */
  readonly totalBytes: number | undefined;
}

/** What those are told who follow all models. */
export type LibraryEvent =
  | {
      readonly type: "state";
      readonly model: string;
      readonly state: ModelState;
      /** While it is in memory. */
      readonly loaded: ServedModel | undefined;
    }
  | { readonly type: "pulling"; readonly pull: OngoingPull }
  | { readonly type: "pulled"; readonly name: string }
  /** `reason` is for clients. */
  | { readonly type: "pull-failed"; readonly name: string; readonly reason: string }
  | { readonly type: "removed"; readonly model: string }
  /** Models have come that were not there. */
  | { readonly type: "listed-anew" };

/** A model that is made of another one. */
export interface ModelRecipe {
  /** Of a model that is there. */
  readonly from: string;
  /** Absent: those of that model. */
  readonly texts: Partial<Omit<ModelTexts, "template">>;
}

export interface PullRequest {
  /** Ends it; what has come stays, and the next pull goes on from there. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: PullEvent) => void;
}

/** The models that are on this machine, loaded or not, and what clients change of that. */
export interface ModelLibrary {
  /** All that can be asked for, configured ones first. Looks at what is stored anew. */
  list(): Promise<readonly LibraryModel[]>;
  /**
   * One of them, found by whatever name the directory finds it by, also by that of an adapter of it.
   * @throws {GgufdError} `model_not_found`, `shutting_down`
   */
  entry(name: string): Promise<LibraryModel>;
  /**
   * What the headers of models' files say, by the models' names. One that is missing cannot be read, and so its model
   * cannot be loaded. What is not known yet is read in one process for all of them, which takes about a second.
   */
  headersOf(models: readonly LibraryModel[]): Promise<ReadonlyMap<string, ModelFileFacts>>;
  /** What goes with a model's weights. */
  textsOf(model: LibraryModel): Promise<ModelTexts>;
  /**
   * Loads a model, and resolves when it is.
   * @throws {GgufdError} as {@link ModelDirectory.resolve}
   */
  load(name: string, signal: AbortSignal): Promise<ServedModel>;
  /**
   * Frees a model when its requests have ended, and resolves then; at once if it is not loaded.
   * @throws {GgufdError} `model_not_found`, `shutting_down`
   */
  unload(name: string): Promise<void>;
  /**
   * How long a model, or the one that has an adapter of this name, may be idle from now on, until it has been unloaded.
   * 0: it goes when its requests have ended.
   * @throws {GgufdError} `model_not_found`
   */
  keepAlive(name: string, time: KeepTime): void;
  /**
   * Fetches a model, or what has changed of it; resolves when it can be asked for.
   * @param name `hf:user/repo[:QUANT]`, `user/repo[:QUANT]` or `ollama:name[:tag]`; no URL and no path
   * @throws {GgufdError} `invalid_request`, `model_not_found`, `pull_failed`, `storage_full`, `storage_unavailable`,
   *   `unsupported_operation` if nothing is to be fetched; the signal's reason
   */
  pull(name: string, request: PullRequest): Promise<LibraryModel>;
  /**
   * The same in the background: {@link follow} tells how it goes on.
   * @throws {GgufdError} `invalid_request`, `unsupported_operation`
   */
  beginPull(name: string): void;
  /** Ends a pull in the background. @returns whether there was one of this name */
  endPull(name: string): boolean;
  /** Those that go on in the background. */
  readonly pulls: readonly OngoingPull[];
  /**
   * Unloads a model that is stored, and removes what is ggufd's of it. A pull of it in the background is ended first;
   * what has come of that stays, as of any pull that has ended early.
   * @throws {GgufdError} `model_not_found`; `invalid_request` for one that is configured, or another program's; `model_in_use`
   */
  remove(name: string): Promise<void>;
  /**
   * Gives a stored model another name, beside the one that it has.
   * @throws {GgufdError} `model_not_found`, `invalid_request`
   */
  copy(name: string, to: string): Promise<LibraryModel>;
  /**
   * A model of another one's files with texts of its own, under a name of its own; one of that name that was made
   * before is replaced.
   * @throws {GgufdError} `model_not_found`, `invalid_request`
   */
  make(name: string, recipe: ModelRecipe): Promise<LibraryModel>;
  /** @returns ends it */
  follow(listener: (event: LibraryEvent) => void): () => void;
}
