import type { AdapterService, AdapterSpec } from "./adapters.js";
import type { Caller } from "./caller.js";
import type { EngineDescription } from "./engine.js";
import type { EngineStatistics } from "./engine-statistics.js";
import type { ChoiceEvent } from "./generation-event.js";
import type { GenerationRequest } from "./generation-request.js";
import type { ModelRights } from "./model-rights.js";
import type { EmbeddingDescription, PoolingService, RerankingDescription } from "./pooling.js";
import type { ReplicaState } from "./replicas.js";
import type { SlotCommand, SlotOutcome } from "./slot-command.js";
import type { TextService } from "./text-question.js";

/** Admitted request with the generations of its choices. */
export interface Generation {
  readonly promptTokens: number;
  /**
   * Events of all choices in order of arrival, up to the last event of each. Never throws: a
   * failure is the last event of its choice, and the other choices are cancelled. Can be iterated
   * only once.
   */
  readonly events: AsyncIterable<ChoiceEvent>;
}

/** Admits generation requests for one model and runs them in order. */
export interface GenerationService {
  /**
   * Prepares the requests of one client and admits either all of their choices or none. The choices
   * of the first request come first. Aborting the caller's signal cancels them in every state:
   * queued, prefill or decode.
   * @throws {GgufdError} the errors of {@link Engine.prepare}, `server_overloaded`
   */
  submit(requests: readonly GenerationRequest[], caller: Caller): Promise<Generation>;
  /**
   * Counts the tokens of a request's prompt, without generating and without waiting for a slot.
   * @throws {GgufdError} the errors of {@link Engine.prepare}
   */
  countTokens(request: GenerationRequest, caller: Caller): Promise<number>;
}

/** Slots of a model, for clients that inspect or manage them. */
export interface SlotService {
  /**
   * Lists the state of each slot.
   * @throws {GgufdError} `model_unavailable` if the engine exits during the call
   */
  list(): Promise<readonly SlotView[]>;
  /**
   * Saves, restores or erases a slot, after the generation that occupies it has ended.
   * @throws {GgufdError} the errors of {@link Engine.command}, `model_unavailable`
   */
  command(command: SlotCommand): Promise<SlotOutcome>;
}

interface NamedModel {
  /** Model name in the API. */
  readonly alias: string;
  /** Load time, in seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly texts: TextService;
}

/** Served model that generates text. */
export interface GenerationModel extends NamedModel {
  readonly kind: "generation";
  readonly engine: EngineDescription;
  readonly generations: GenerationService;
  /**
   * Ends the reasoning of all answers to a request that has a `reasoningControl`.
   * @returns whether an answer was reasoning
   */
  readonly endReasoning: (requestId: string) => Promise<boolean>;
  readonly slots: SlotService;
  readonly adapters: AdapterService;
  /** See {@link Engine.statistics}. */
  readonly statistics?: EngineStatistics | undefined;
  /** Current state of each replica; absent: the model has one engine. */
  readonly replicas?: readonly ReplicaState[] | undefined;
  /** The model as a creator of embeddings; absent: it only generates text. */
  readonly embeddings?: EmbeddingModel | undefined;
}

/** Served model that creates embeddings. */
export interface EmbeddingModel extends NamedModel {
  readonly kind: "embedding";
  readonly engine: EmbeddingDescription;
  readonly pooling: PoolingService;
}

/** Served model that ranks documents by a query. */
export interface RerankingModel extends NamedModel {
  readonly kind: "reranking";
  readonly engine: RerankingDescription;
  readonly pooling: PoolingService;
}

/** Model that is served under a name. */
export type ServedModel = GenerationModel | EmbeddingModel | RerankingModel;

/** Purpose of a model. */
export type ModelKind = ServedModel["kind"];

/** Served model of one kind. */
export type ModelOf<Kind extends ModelKind> = Extract<ServedModel, { readonly kind: Kind }>;

/** Why a model has not been restarted yet. */
export interface RestartObstacle {
  /** Address of a worker that the last attempt could not use. */
  readonly worker?: string | undefined;
}

/** Lifecycle state of a model. */
export type ModelState =
  | { readonly state: "absent" }
  | { readonly state: "loading" /** 0–1 */; readonly progress: number }
  | { readonly state: "ready" }
  /** The engine process exited, and a new one is starting. */
  | ({ readonly state: "lost" } & RestartObstacle)
  /** The model accepts no new requests, finishes its current ones, and is then freed. */
  | { readonly state: "unloading" };

/**
 * Whether the server accepts traffic, that is, whether the models it was started with are loaded.
 */
export type Readiness =
  | { readonly state: "loading" /** 0–1 */; readonly progress: number }
  | { readonly state: "ready" }
  /** The engine process has exited and is being restarted. */
  | ({ readonly state: "restarting" } & RestartObstacle)
  | { readonly state: "draining" };

/** Model by its name, loaded or not. */
export interface NamedState {
  readonly alias: string;
  /** Other names that requests may use. */
  readonly aliases: readonly string[];
  /**
   * Time of the last load, else the time since which the model has been available, in seconds since
   * the Unix epoch.
   */
  readonly createdAt: number;
  readonly state: ModelState;
  /**
   * LoRA adapters that are loaded, or will be loaded with the model. Each adapter's name also
   * selects the model.
   */
  readonly adapters: readonly AdapterSpec[];
}

/** Externally visible state of a model, whether it accepts requests or not. */
export interface ModelActivity extends NamedState {
  /** The loaded model; `undefined` while it is not in memory. */
  readonly loaded: ServedModel | undefined;
  /** Number of times that its engine process exited unexpectedly. */
  readonly crashes: number;
}

/**
 * User of a model, such as a request. Aborting `signal` cancels its wait for the model. A loaded
 * model stays loaded until the listener of `onEnd` is called.
 */
export interface ModelUser extends Pick<Caller, "signal" | "onEnd"> {
  /**
   * Called when a model that was not loaded has been loaded, with the time that this user waited
   * for it, in milliseconds.
   */
  readonly onLoaded?: (waitedMs: number) => void;
}

/** The served models, by name. */
export interface ModelDirectory {
  /** Readiness of the server. */
  readonly readiness: Readiness;
  /** All models that can be requested. */
  readonly models: readonly NamedState[];
  /**
   * Lists all models, for clients.
   * @throws {GgufdError} `shutting_down`; `model_loading`, `model_unavailable` while no model can
   *   be used
   */
  list(): readonly ModelActivity[];
  /**
   * Finds a model by its name or the name of one of its adapters; `undefined` selects the first
   * model.
   * @throws {GgufdError} `model_not_found`, `model_loading`, `model_unavailable`, `shutting_down`
   */
  findEntry(name: string | undefined): ModelActivity;
  /**
   * Returns the model of a kind that answers requests without a model name; `undefined`: such
   * requests are rejected.
   */
  findDefault(kind: ModelKind): NamedState | undefined;
  /**
   * Returns a model of a kind by its name, for a user of it, and waits until it is loaded;
   * `undefined` selects the first model of that kind. The name of an adapter returns its model
   * under the adapter's name, answering with this adapter alone; a model of the same name takes
   * precedence.
   * @throws {GgufdError} `model_not_found`; `invalid_request` for a model of another kind, or one
   *   that does not fit; `model_loading`, `model_unavailable`, `server_overloaded`,
   *   `queue_timeout`, `shutting_down`
   * @throws the reason of the user's signal if it is aborted
   */
  resolve<Kind extends ModelKind>(
    kind: Kind,
    name: string | undefined,
    user: ModelUser,
  ): Promise<ModelOf<Kind>>;
  /**
   * Returns a model of any kind by its name, like {@link resolve}; `undefined` selects the first
   * model.
   * @throws the errors of {@link resolve}, except the one for a model of another kind
   */
  find(name: string | undefined, user: ModelUser): Promise<ServedModel>;
}

/** The directory of all served models. */
export interface AllModels extends ModelDirectory {
  /**
   * Returns the directory as a key with these rights sees it: without the models and adapters that
   * it may not use, and with its limits on requests.
   */
  permitting(rights: ModelRights): ModelDirectory;
}

/** State of a slot. */
export type SlotView = IdleSlot | RunningSlot;

export interface IdleSlot {
  readonly state: "idle";
  /** Number of tokens whose keys and values the slot keeps, for requests that continue them. */
  readonly heldTokens: number;
  /** Index of the replica that has the slot; absent: the model has one engine. */
  readonly replica?: number;
}

/** Slot that runs a generation, with counts in tokens. */
export interface RunningSlot extends RunningTask {
  readonly state: "running";
  readonly heldTokens: number;
  /** Index of the replica that has the slot; absent: the model has one engine. */
  readonly replica?: number;
}

/** Progress of a generation, in tokens. */
export interface RunningTask {
  /** Number of generations that began earlier. */
  readonly task: number;
  readonly promptTokens: number;
  /** Cached tokens of the prompt; known from the first event on. */
  readonly cachedTokens: number;
  /** Tokens generated so far; 0 during prefill. */
  readonly completionTokens: number;
  readonly maxTokens: number;
  /** Time since the generation got its slot. */
  readonly elapsedMs: number;
  /** Time from the slot to the first token; absent during prefill. */
  readonly prefillMs?: number;
}
