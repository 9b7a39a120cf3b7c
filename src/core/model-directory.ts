import type { EngineDescription } from "./engine.js";
import type { ChoiceEvent } from "./generation-event.js";
import type { GenerationRequest } from "./generation-request.js";
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
   * Prepares a request, and admits all of its choices or none. Aborting `signal` cancels it in every
   * state: queued, prefill or decode.
   * @throws {GgufdError} the errors of {@link Engine.prepare}, `server_overloaded`
   */
  submit(request: GenerationRequest, signal: AbortSignal): Promise<Generation>;
  /** The same for several requests of one client: the choices of the first come first. */
  submitAll(requests: readonly GenerationRequest[], signal: AbortSignal): Promise<Generation>;
  /**
   * The number of tokens of a request's prompt. Nothing is generated, and nothing waits for a slot.
   * @throws {GgufdError} the errors of {@link Engine.prepare}
   */
  countTokens(request: GenerationRequest): Promise<number>;
}

/** A model that is served under a name. */
export interface ServedModel {
  /** Model name in the API. */
  readonly alias: string;
  /** Load time, in seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly engine: EngineDescription;
  readonly generations: GenerationService;
  readonly texts: TextService;
}

/** Whether the server accepts traffic. */
export type Readiness =
  | { readonly state: "loading" /** 0–1 */; readonly progress: number }
  | { readonly state: "ready" }
  /** The engine process has exited and is being restarted. */
  | { readonly state: "restarting" }
  | { readonly state: "draining" };

/** The served models, by name. */
export interface ModelDirectory {
  readonly readiness: Readiness;
  /** @throws {GgufdError} `model_loading`, `model_unavailable`, `shutting_down` */
  list(): readonly ServedModel[];
  /**
   * Looks up a model by name; `undefined` means the default model.
   * @throws {GgufdError} `model_not_found`, `model_loading`, `model_unavailable`, `shutting_down`
   */
  resolve(name: string | undefined): ServedModel;
}
