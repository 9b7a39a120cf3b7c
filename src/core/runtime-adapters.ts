import { GgufdError } from "./errors.js";
import type { ModelUser } from "./model-directory.js";

/** An adapter that a client wants to be loaded. */
export interface AdapterRequest {
  /** By which it can be asked for then, as by that of a model. */
  readonly name: string;
  /** As the client has it. */
  readonly path: string;
  /** The name of the model that it is for; `undefined`: the first one that generates text. */
  readonly model: string | undefined;
}

/** The adapters that come and go while models are served. */
export interface RuntimeAdapters {
  /**
   * Loads an adapter into a model, which is loaded for that. It stays until one of both is unloaded.
   * @throws {GgufdError} `unsupported_operation`: this server loads none; `invalid_request`: its name is taken, its file
   *   is not one that may be loaded, or is not for this model; the errors of {@link ModelDirectory.resolve}
   */
  load(request: AdapterRequest, user: ModelUser): Promise<void>;
  /**
   * Unloads one, wherever it came from; resolves when none of its requests runs any more.
   * @throws {GgufdError} `unsupported_operation`; `model_not_found`: there is none of this name
   */
  unload(name: string, user: ModelUser): Promise<void>;
}

/** The error of a server that loads and unloads none. */
export function runtimeAdaptersAreOff(): GgufdError {
  return new GgufdError(
    "unsupported_operation",
    "Loading adapters at runtime is disabled: start the server with --allow-runtime-lora.",
  );
}
