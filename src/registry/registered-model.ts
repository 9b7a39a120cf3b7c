import assert from "node:assert/strict";
import { GgufdError } from "../core/errors.js";
import type { ModelActivity, ModelKind, Readiness, ServedModel } from "../core/model-directory.js";

/** Values of `Retry-After` by readiness. */
const LOADING_RETRY_AFTER_SECONDS = 2;
const RESTARTING_RETRY_AFTER_SECONDS = 2;

/** A model's name, its readiness from loading on, and the model once it is loaded. */
export class RegisteredModel implements ModelActivity {
  readonly alias: string;
  readonly #expectedKind: ModelKind | undefined;
  /** Of loading, 0–1. */
  #progress = 0;
  #model: ServedModel | undefined;
  #isRestarting = false;
  #losses = 0;

  /** @param expectedKind of the model; `undefined`: known once it is loaded */
  constructor(alias: string, expectedKind?: ModelKind) {
    this.alias = alias;
    this.#expectedKind = expectedKind;
  }

  get readiness(): Readiness {
    if (this.#model === undefined) return { state: "loading", progress: this.#progress };
    return { state: this.#isRestarting ? "restarting" : "ready" };
  }

  get loaded(): ServedModel | undefined {
    return this.#model;
  }

  get losses(): number {
    return this.#losses;
  }

  /** `undefined`: not known before the model is loaded. */
  get kind(): ModelKind | undefined {
    return this.#model?.kind ?? this.#expectedKind;
  }

  /** @param progress 0–1 */
  reportProgress(progress: number): void {
    this.#progress = progress;
  }

  /** Marks the model as loaded: ready for traffic, unless its process has exited meanwhile. */
  serve(model: ServedModel): void {
    this.#model = model;
  }

  /** The model's process has exited; {@link resume} once it has been restarted. */
  suspend(): void {
    this.#losses++;
    this.#isRestarting = true;
  }

  /** The model's process has been restarted. */
  resume(): void {
    assert(this.#isRestarting, `the model ${this.alias} was resumed, but not suspended`);
    this.#isRestarting = false;
  }

  /**
   * The model, for a request.
   * @throws {GgufdError} `model_loading`, `model_unavailable`
   */
  take(): ServedModel {
    if (this.#model === undefined) {
      throw new GgufdError("model_loading", `The model \`${this.alias}\` is still loading.`, {
        retryAfterSeconds: LOADING_RETRY_AFTER_SECONDS,
      });
    }
    if (this.#isRestarting) {
      throw new GgufdError(
        "model_unavailable",
        `The process of the model \`${this.alias}\` has exited; it is being restarted.`,
        { retryAfterSeconds: RESTARTING_RETRY_AFTER_SECONDS },
      );
    }
    return this.#model;
  }
}
