import { GgufdError } from "../../core/errors.js";
import type { ModelLibrary } from "../../core/model-library.js";

/**
 * Model loads requested explicitly by clients, independent of any generation. A load continues
 * after the request that started it has been answered.
 */
export class RequestedLoads {
  readonly #library: ModelLibrary;
  readonly #ongoingLoads = new Map<string, AbortController>();

  constructor(library: ModelLibrary) {
    this.#library = library;
  }

  /**
   * Starts loading a model that is not loaded, and resolves when loading has begun. It may have to
   * wait until other models have freed memory.
   * @throws {GgufdError} as {@link ModelLibrary.load}, until loading has begun
   */
  async begin(alias: string): Promise<void> {
    if (this.#ongoingLoads.has(alias)) return;
    const controller = new AbortController();
    this.#ongoingLoads.set(alias, controller);
    await new Promise<void>((resolve, reject) => {
      const unfollow = this.#library.follow((event) => {
        if (event.type !== "state" || event.model !== alias) return;
        if (event.state.state === "loading") resolve();
      });
      this.#library
        .load(alias, controller.signal)
        .then(() => resolve(), reject)
        .finally(() => {
          unfollow();
          this.#ongoingLoads.delete(alias);
        });
    });
  }

  /** Cancels a load. @returns whether there was one */
  cancel(alias: string): boolean {
    const ongoing = this.#ongoingLoads.get(alias);
    const message = `The model \`${alias}\` was unloaded while it was loading.`;
    ongoing?.abort(new GgufdError("model_unavailable", message));
    return ongoing !== undefined;
  }
}
