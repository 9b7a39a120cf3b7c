import { GgufdError } from "../core/errors.js";
import type { ModelDirectory, Readiness, ServedModel } from "../core/model-directory.js";

/** The model directory of a daemon without a model, which runs only the to-do service. */
export class EmptyDirectory implements ModelDirectory {
  #readiness: Readiness = { state: "ready" };

  get readiness(): Readiness {
    return this.#readiness;
  }

  drain(): void {
    this.#readiness = { state: "draining" };
  }

  list(): readonly ServedModel[] {
    return [];
  }

  resolve(): never {
    throw new GgufdError(
      "model_unavailable",
      "This server runs without a model (it was started with --no-model).",
    );
  }
}
