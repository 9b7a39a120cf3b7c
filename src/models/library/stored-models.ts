import type { ModelPool } from "../pool/model-pool.js";
import type { LoadableModel, PooledModel } from "../pool/pooled-model.js";
import { findModel } from "../store/find-model.js";
import type { ModelStore } from "../store/model-store.js";
import { modifiedMsOf, type StoredModel, sizeOf, textsOf } from "../store/stored-model.js";

export interface StoredModelsOptions {
  readonly pool: ModelPool;
  readonly store: ModelStore;
  /** How a stored model is loaded. */
  readonly loadableOf: (model: StoredModel) => LoadableModel;
  /** Something is there that was not, or not any more. */
  readonly onChange: () => void;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** For so long, what a look at the folders has found is taken for what is there. */
const FRESH_MS = 1000;

/** A stored model that can be asked for. */
interface Served {
  readonly stored: StoredModel;
  readonly pooled: PooledModel;
  /** Told by its files: another one has come in their place. */
  readonly version: string;
}

/**
 * The stored models as models of the pool: what comes into the folders can be asked for, and what has gone cannot any
 * more. Looked at when somebody asks, once a second at most.
 */
export class StoredModels {
  readonly #options: StoredModelsOptions;
  /** By their names. */
  readonly #served = new Map<string, Served>();
  #looking: Promise<void> | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: StoredModelsOptions) {
    this.#options = options;
  }

  /**
   * A model by any spelling of its name.
   * @throws {ModelError} `ambiguous`
   */
  async find(name: string): Promise<PooledModel | undefined> {
    await this.look();
    const found = findModel(
      [...this.#served.values()].map(({ stored }) => stored),
      name,
    );
    return found && this.#served.get(found.name)?.pooled;
  }

  /** The stored model behind one of the pool. */
  storedOf(alias: string): StoredModel | undefined {
    return this.#served.get(alias)?.stored;
  }

  /** Looks at the folders, unless that has just been done. @param when `now`: even then */
  async look(when: "if-stale" | "now" = "if-stale"): Promise<void> {
    if (when === "now") await this.#looking;
    else if (this.#options.now() - this.#lookedAtMs < FRESH_MS) return;
    this.#looking ??= this.#lookAnew().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #lookAnew(): Promise<void> {
    const { pool, store, loadableOf, onChange, now } = this.#options;
    const { models } = await store.list();
    this.#lookedAtMs = now();
    const found = new Map<string, StoredModel>();
    for (const model of models) {
      const isTaken = pool.find(model.name) !== undefined && !this.#served.has(model.name);
      // What is configured by that name comes first, then ggufd's own folder.
      if (!isTaken && !found.has(model.name)) found.set(model.name, model);
    }
    let isChanged = false;
    for (const [name, { pooled, version }] of this.#served) {
      const stored = found.get(name);
      if (stored !== undefined && versionOf(stored) === version) continue;
      this.#served.delete(name);
      isChanged = true;
      void pool.remove(pooled);
    }
    for (const [name, stored] of found) {
      if (this.#served.has(name)) continue;
      const pooled = pool.add(loadableOf(stored));
      this.#served.set(name, { stored, pooled, version: versionOf(stored) });
      isChanged = true;
    }
    if (isChanged) onChange();
  }
}

function versionOf(model: StoredModel): string {
  const [{ path }] = model.files;
  const texts = textsOf(model).map((text) => text.path);
  return JSON.stringify([path, sizeOf(model), modifiedMsOf(model), texts]);
}
