import { GgufdError } from "./errors.js";
import type { ModelDirectory, ModelUser } from "./model-directory.js";

/** Adapter that a client asks to load. */
export interface AdapterRequest {
  /** Name by which requests then select the adapter, like a model's name. */
  readonly name: string;
  /** Path as the client wrote it. */
  readonly path: string;
  /** Name of the adapter's model; `undefined`: the first model that generates text. */
  readonly model: string | undefined;
}

/** Loads and unloads adapters while models are served. */
export interface RuntimeAdapters {
  /**
   * Loads an adapter into a model, loading the model first if necessary. The adapter stays until it
   * or the model is unloaded.
   * @throws {GgufdError} `unsupported_operation`: this server loads no adapters; `invalid_request`:
   *   its name is taken, its file is not permitted, or does not fit the model; the errors of
   *   {@link ModelDirectory.resolve}
   * @param models models that the user may use
   */
  load(request: AdapterRequest, user: ModelUser, models: UserModels): Promise<void>;
  /**
   * Unloads an adapter, whatever its origin; resolves when none of its requests is running any
   * more.
   * @throws {GgufdError} `unsupported_operation`; `model_not_found`: there is no adapter of this
   *   name
   * @param models models that the user may use
   */
  unload(name: string, user: ModelUser, models: UserModels): Promise<void>;
}

type UserModels = Pick<ModelDirectory, "models" | "resolve">;

/** Builds the error of a server that does not load or unload adapters at runtime. */
export function createAdaptersDisabledError(): GgufdError {
  return new GgufdError(
    "unsupported_operation",
    "Loading adapters at runtime is disabled: start the server with --allow-runtime-lora.",
  );
}
