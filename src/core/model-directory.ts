import type { EngineDescription } from "./engine.js";
import type { GenerationEvent } from "./generation-event.js";
import type { GenerationRequest } from "./generation-request.js";

/** An admitted generation. */
export interface Generation {
  readonly promptTokens: number;
  /** Never throws: a failure is the last event. Can be iterated only once. */
  readonly events: AsyncIterable<GenerationEvent>;
}

/** Admits generation requests for one model and runs them in order. */
export interface GenerationService {
  /**
   * Prepares and admits a request. Aborting `signal` cancels it in every state: queued, prefill or
   * decode.
   * @throws {GgufdError} the errors of {@link Engine.prepare}, `server_overloaded`
   */
  submit(request: GenerationRequest, signal: AbortSignal): Promise<Generation>;
}

/** A model that is served under a name. */
export interface ServedModel {
  /** Model name in the API. */
  readonly alias: string;
  /** Load time, in seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly engine: EngineDescription;
  readonly generations: GenerationService;
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
