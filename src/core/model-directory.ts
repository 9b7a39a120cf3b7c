import type { EngineDescription } from "./engine.js";
import type { GenerationEvent } from "./generation-event.js";
import type { GenerationRequest } from "./generation-request.js";

/** An admitted generation. */
export interface Generation {
  readonly promptTokens: number;
  /** Never throws: a failure is the last event. May be iterated once. */
  readonly events: AsyncIterable<GenerationEvent>;
}

/** Takes generation requests for one model and runs them in order. */
export interface GenerationService {
  /**
   * Prepares and admits a request. Aborting `signal` ends it wherever it is: waiting, prefilling
   * or decoding.
   * @throws {GgufdError} what {@link Engine.prepare} throws, `server_overloaded`
   */
  submit(request: GenerationRequest, signal: AbortSignal): Promise<Generation>;
}

/** A model that answers under a name. */
export interface ServedModel {
  /** The name that clients use. */
  readonly alias: string;
  /** When it was loaded, in seconds since 1970. */
  readonly createdAt: number;
  readonly engine: EngineDescription;
  readonly generations: GenerationService;
}

/** Whether traffic may come. */
export type Readiness =
  | { readonly state: "loading" /** 0–1 */; readonly progress: number }
  | { readonly state: "ready" }
  /** The engine has died and is started again. */
  | { readonly state: "restarting" }
  | { readonly state: "draining" };

/** The models that are served, by name. */
export interface ModelDirectory {
  readonly readiness: Readiness;
  /** @throws {GgufdError} `model_loading`, `model_unavailable`, `shutting_down` */
  list(): readonly ServedModel[];
  /**
   * The model of that name; `undefined` means the default model.
   * @throws {GgufdError} `model_not_found`, `model_loading`, `model_unavailable`, `shutting_down`
   */
  resolve(name: string | undefined): ServedModel;
}
