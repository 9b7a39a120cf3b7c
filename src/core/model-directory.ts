import type { AdapterService, AdapterSpec } from "./adapters.js";
import type { Caller } from "./caller.js";
import type { EngineDescription } from "./engine.js";
import type { EngineStatistics } from "./engine-statistics.js";
import type { ChoiceEvent } from "./generation-event.js";
import type { GenerationRequest } from "./generation-request.js";
import type { EmbeddingDescription, PoolingService, RerankingDescription } from "./pooling.js";
import type { SlotCommand, SlotOutcome } from "./slot-command.js";
import type { TextService } from "./text-question.js";

/** An admitted request: the generations of its choices. */
export interface Generation {
  readonly promptTokens: number;
  /**
   * The events of all choices as they come, up to the last one of each. Never throws: a failure is the
   * last event of its choice, and the others are cancelled. Can be iterated only once.
   */
  readonly events: AsyncIterable<ChoiceEvent>;
}

/** Admits generation requests for one model and runs them in order. */
export interface GenerationService {
  /**
   * Prepares the requests of one client, and admits all of their choices or none. The choices of the first request come
   * first. Aborting the caller's signal cancels them in every state: queued, prefill or decode.
   * @throws {GgufdError} the errors of {@link Engine.prepare}, `server_overloaded`
   */
  submit(requests: readonly GenerationRequest[], caller: Caller): Promise<Generation>;
  /**
   * The number of tokens of a request's prompt. Nothing is generated, and nothing waits for a slot.
   * @throws {GgufdError} the errors of {@link Engine.prepare}
   */
  countTokens(request: GenerationRequest, caller: Caller): Promise<number>;
}

/** The slots of a model, for clients that look after them. */
export interface SlotService {
  /**
   * What each slot is doing.
   * @throws {GgufdError} `model_unavailable` when the engine is lost meanwhile
   */
  list(): Promise<readonly SlotView[]>;
  /**
   * Saves, restores or empties a slot, when the generation that has it has ended.
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

/** A served model that generates text. */
export interface GenerationModel extends NamedModel {
  readonly kind: "generation";
  readonly engine: EngineDescription;
  readonly generations: GenerationService;
  readonly slots: SlotService;
  readonly adapters: AdapterService;
  /** See {@link Engine.statistics}. */
  readonly statistics?: EngineStatistics | undefined;
}

/** A served model that creates embeddings. */
export interface EmbeddingModel extends NamedModel {
  readonly kind: "embedding";
  readonly engine: EmbeddingDescription;
  readonly pooling: PoolingService;
}

/** A served model that ranks documents by a query. */
export interface RerankingModel extends NamedModel {
  readonly kind: "reranking";
  readonly engine: RerankingDescription;
  readonly pooling: PoolingService;
}

/** A model that is served under a name. */
export type ServedModel = GenerationModel | EmbeddingModel | RerankingModel;

/** What a model is for. */
export type ModelKind = ServedModel["kind"];

/** A served model of one kind. */
export type ModelOf<Kind extends ModelKind> = Extract<ServedModel, { readonly kind: Kind }>;

/** Where a model is between its file and its requests. */
export type ModelState =
  | { readonly state: "absent" }
  | { readonly state: "loading" /** 0–1 */; readonly progress: number }
  | { readonly state: "ready" }
  /** Its process is lost, and another one is being started. */
  | { readonly state: "lost" }
  /** It takes no requests any more, ends those that it has, and is freed. */
  | { readonly state: "unloading" };

/** Whether the server accepts traffic: what it was started with is loaded. */
export type Readiness =
  | { readonly state: "loading" /** 0–1 */; readonly progress: number }
  | { readonly state: "ready" }
  /** The engine process has exited and is being restarted. */
  | { readonly state: "restarting" }
  | { readonly state: "draining" };

/** A model by its name, loaded or not. */
export interface NamedState {
  readonly alias: string;
  /** When it was loaded last, else when it could be asked for first: in seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly state: ModelState;
  /** Its LoRA adapters, by whose names it can be asked for as well: those that are loaded, or are going to be with it. */
  readonly adapters: readonly AdapterSpec[];
}

/** What is to be seen of a model from outside, whether it takes requests or not. */
export interface ModelActivity extends NamedState {
  /** While it is in memory. */
  readonly loaded: ServedModel | undefined;
  /** How often its process was lost. */
  readonly losses: number;
}

/** Who uses a model: while the signal is not aborted it is wanted, and until its end it stays loaded. */
export interface ModelUser extends Pick<Caller, "signal" | "onEnd"> {
  /** Told of a model that was not loaded, when it is: how long this user has waited for it, in milliseconds. */
  readonly onLoaded?: (waitedMs: number) => void;
}

/** The served models, by name. */
export interface ModelDirectory {
  /** Of the server. */
  readonly readiness: Readiness;
  /** All that can be asked for. */
  readonly models: readonly NamedState[];
  /**
   * The same, for clients.
   * @throws {GgufdError} `shutting_down`; `model_loading`, `model_unavailable` while none can be used
   */
  list(): readonly ModelActivity[];
  /**
   * One of them, or the one that has an adapter of this name; `undefined` means the first one.
   * @throws {GgufdError} `model_not_found`, `model_loading`, `model_unavailable`, `shutting_down`
   */
  entry(name: string | undefined): ModelActivity;
  /**
   * A model of a kind by its name, for somebody who uses it; `undefined` means the first one of that kind. One that is
   * not loaded is waited for. By the name of an adapter, the model as it answers under this adapter alone, which has the
   * adapter's name; a model of that name comes first.
   * @throws {GgufdError} `model_not_found`; `invalid_request` for a model of another kind, or one that does not fit;
   *   `model_loading`, `model_unavailable`, `server_overloaded`, `queue_timeout`, `shutting_down`
   * @throws what the user's signal is aborted with
   */
  resolve<Kind extends ModelKind>(
    kind: Kind,
    name: string | undefined,
    user: ModelUser,
  ): Promise<ModelOf<Kind>>;
  /**
   * The same for a model of any kind; `undefined` means the first one.
   * @throws the others of {@link resolve}
   */
  find(name: string | undefined, user: ModelUser): Promise<ServedModel>;
}

/** What a slot is doing. */
export type SlotView = IdleSlot | RunningSlot;

export interface IdleSlot {
  readonly state: "idle";
  /** Tokens whose keys and values it keeps, for requests that continue them. */
  readonly heldTokens: number;
}

/** A slot with a generation, in tokens. */
export interface RunningSlot extends RunningTask {
  readonly state: "running";
  readonly heldTokens: number;
}

/** How far a generation is, in tokens. */
export interface RunningTask {
  /** Generations that had begun before it. */
  readonly task: number;
  readonly promptTokens: number;
  /** Of the prompt, as far as it is known: from the first event on. */
  readonly cachedTokens: number;
  /** 0 while its prompt is evaluated. */
  readonly completionTokens: number;
  readonly maxTokens: number;
}
