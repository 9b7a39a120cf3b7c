import { GgufdError } from "../../core/errors.js";
import type { ModelLibrary } from "../../core/model-library.js";

/**
 * Model loads requested explicitly by clients, independent of any generation. A load continues
 * after the request that started it has been answered.
 */
export class RequestedLoads {
  readonly #library: ModelLibrary;
  readonly #ongoing = new Map<string, AbortController>();
  readonly #failed = new Set<string>();

  constructor(library: ModelLibrary) {
    this.#library = library;
    library.follow((event) => {
      if (event.type === "removed" || (event.type === "state" && event.state.state !== "absent")) {
        this.#failed.delete(event.model);
      }
    });
  }

  /**
   * Whether the last requested load of a model failed after it had begun, and the model has not
   * been loaded since.
   */
  hasFailed(alias: string): boolean {
    return this.#failed.has(alias);
  }

  /**
   * Starts loading a model that is not loaded, and resolves when loading has begun. It may have to
   * wait until other models have freed memory.
   * @throws {GgufdError} as {@link ModelLibrary.load}, until loading has begun
   */
  async begin(alias: string): Promise<void> {
    if (this.#ongoing.has(alias)) return;
    const abort = new AbortController();
    this.#ongoing.set(alias, abort);
    let hasBegun = false;
    await new Promise<void>((resolve, reject) => {
      const unfollow = this.#library.follow((event) => {
        if (event.type !== "state" || event.model !== alias) return;
        if (event.state.state !== "loading") return;
        hasBegun = true;
        resolve();
      });
      this.#library
        .load(alias, abort.signal)
        .then(
          () => resolve(),
          (error: unknown) => {
            if (hasBegun && !abort.signal.aborted) this.#failed.add(alias);
            reject(error);
          },
        )
        .finally(() => {
          unfollow();
          this.#ongoing.delete(alias);
        });
    });
  }

  /** Cancels a load. @returns whether there was one */
  end(alias: string): boolean {
    const ongoing = this.#ongoing.get(alias);
    const message = `The model \`${alias}\` was unloaded while it was loading.`;
    ongoing?.abort(new GgufdError("model_unavailable", message));
    return ongoing !== undefined;
  }
}
