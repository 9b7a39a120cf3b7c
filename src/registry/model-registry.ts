import { GgufdError } from "../core/errors.js";
import type { ModelDirectory, Readiness, ServedModel } from "../core/model-directory.js";

export interface ModelRegistryOptions {
  /** The name that the model will answer to. */
  readonly alias: string;
  /** `served`: any name a client gives is answered by the served model. */
  readonly otherNames: "refused" | "served";
}

/** Seconds after which a client should ask again while a model loads. */
const LOADING_RETRY_SECONDS = 2;
const RESTARTING_RETRY_SECONDS = 2;
const DRAINING_RETRY_SECONDS = 5;

/** The model that is served, from loading to draining. */
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

  /** The model is loaded; traffic may come. */
  serve(model: ServedModel): void {
    this.#model = model;
    if (this.#readiness.state === "loading") this.#readiness = { state: "ready" };
  }

  /** The engine has died; {@link resume} when there is one again. */
  suspend(): void {
    if (this.#readiness.state === "ready") this.#readiness = { state: "restarting" };
  }

  resume(): void {
    if (this.#readiness.state === "restarting") this.#readiness = { state: "ready" };
  }

  /** No new work is taken from now on. */
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
        retryAfterSeconds: DRAINING_RETRY_SECONDS,
      });
    }
    if (name !== undefined && name !== alias && otherNames === "refused") {
      throw new GgufdError(
        "model_not_found",
        `The model \`${name}\` does not exist; this server serves \`${alias}\`.`,
        { param: "model" },
      );
    }
    if (this.#model === undefined) {
      throw new GgufdError("model_loading", `The model \`${alias}\` is still loading.`, {
        retryAfterSeconds: LOADING_RETRY_SECONDS,
      });
    }
    if (this.#readiness.state === "restarting") {
      throw new GgufdError(
        "model_unavailable",
        `The process of the model \`${alias}\` has ended; it is started again.`,
        { retryAfterSeconds: RESTARTING_RETRY_SECONDS },
      );
    }
    return this.#model;
  }
}
