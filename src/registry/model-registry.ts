import { GgufdError } from "../core/errors.js";
import type { ModelDirectory, Readiness, ServedModel } from "../core/model-directory.js";
import { shortenedName } from "../core/shortened-name.js";

export interface ModelRegistryOptions {
  /** Model name in the API. */
  readonly alias: string;
  /** `served`: the loaded model answers requests for any model name. */
  readonly otherNames: "rejected" | "served";
}

/** Values of `Retry-After` by readiness. */
const LOADING_RETRY_AFTER_SECONDS = 2;
const RESTARTING_RETRY_AFTER_SECONDS = 2;
const DRAINING_RETRY_AFTER_SECONDS = 5;

/** The served model and its readiness, from loading to draining. */
export class ModelRegistry implements ModelDirectory {
  readonly #options: ModelRegistryOptions;
  #readiness: Readiness = { state: "loading", progress: 0 };
  #model: ServedModel | undefined;

  constructor(options: ModelRegistryOptions) {
    this.#options = options;
  }

  get readiness(): Readiness {
    return this.#readiness;
  }

  /** @param progress 0–1 */
  reportProgress(progress: number): void {
    if (this.#readiness.state === "loading") this.#readiness = { state: "loading", progress };
  }

  /** Marks the model as loaded and ready for traffic. */
  serve(model: ServedModel): void {
    this.#model = model;
    if (this.#readiness.state === "loading") this.#readiness = { state: "ready" };
  }

  /** The engine process has exited; {@link resume} once it has been restarted. */
  suspend(): void {
    if (this.#readiness.state === "ready") this.#readiness = { state: "restarting" };
  }

  resume(): void {
    if (this.#readiness.state === "restarting") this.#readiness = { state: "ready" };
  }

  /** Starts draining: new requests are rejected. */
  drain(): void {
    this.#readiness = { state: "draining" };
  }

  list(): readonly ServedModel[] {
    return [this.resolve(undefined)];
  }

  resolve(name: string | undefined): ServedModel {
    const { alias, otherNames } = this.#options;
    if (this.#readiness.state === "draining") {
      throw new GgufdError("shutting_down", "The server is shutting down.", {
        retryAfterSeconds: DRAINING_RETRY_AFTER_SECONDS,
      });
    }
    if (name !== undefined && name !== alias && otherNames === "rejected") {
      throw new GgufdError(
        "model_not_found",
        `The model \`${shortenedName(name)}\` does not exist; this server serves \`${alias}\`.`,
        { param: "model" },
      );
    }
    if (this.#model === undefined) {
      throw new GgufdError("model_loading", `The model \`${alias}\` is still loading.`, {
        retryAfterSeconds: LOADING_RETRY_AFTER_SECONDS,
      });
    }
    if (this.#readiness.state === "restarting") {
      throw new GgufdError(
        "model_unavailable",
        `The process of the model \`${alias}\` has exited; it is being restarted.`,
        { retryAfterSeconds: RESTARTING_RETRY_AFTER_SECONDS },
      );
    }
    return this.#model;
  }
}
