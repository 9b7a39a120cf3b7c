import type { ModelPool } from "../pool/model-pool.js";
import type { LoadableModel, PooledModel } from "../pool/pooled-model.js";
import { findModel } from "../store/find-model.js";
import type { ModelStore } from "../store/model-store.js";
import { modifiedMsOf, type StoredModel, sizeOf, textsOf } from "../store/stored-model.js";

export interface StoredModelsOptions {
  readonly pool: ModelPool;
  readonly store: ModelStore;
  /** Describes how a stored model is loaded. */
  readonly loadableOf: (model: StoredModel) => LoadableModel;
  /** Called when stored models were added, changed or removed. */
  readonly onChange: () => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Time for which the result of a scan is considered current. */
const MAX_SCAN_AGE_MS = 1000;

/** Stored model that requests can use. */
interface ServedEntry {
  readonly stored: StoredModel;
  readonly pooled: PooledModel;
  /** Changes when the model's files are replaced. */
  readonly version: string;
}

/**
 * Keeps the pool in sync with the stored models: models that appear in the folders become
 * available, and models that disappear are removed. The folders are scanned on demand, at most once
 * a second.
 */
export class StoredModels {
  readonly #options: StoredModelsOptions;
  /** Available models by name. */
  readonly #servedByName = new Map<string, ServedEntry>();
  #pendingRefresh: Promise<void> | undefined;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: StoredModelsOptions) {
    this.#options = options;
  }

  /**
   * Finds a model by any spelling of its name.
   * @throws {ModelError} `ambiguous`
   */
  async find(name: string): Promise<PooledModel | undefined> {
    await this.refresh();
    const found = findModel(
      [...this.#servedByName.values()].map(({ stored }) => stored),
      name,
    );
    return found && this.#servedByName.get(found.name)?.pooled;
  }

  /** Returns the stored model behind a model of the pool. */
  storedOf(alias: string): StoredModel | undefined {
    return this.#servedByName.get(alias)?.stored;
  }

  /**
   * Scans the folders, unless the last scan is still current.
   * @param when `now`: scan in any case
   */
  async refresh(when: "if-stale" | "now" = "if-stale"): Promise<void> {
    if (when === "now") await this.#pendingRefresh;
    else if (this.#options.now() - this.#refreshedAtMs < MAX_SCAN_AGE_MS) return;
    this.#pendingRefresh ??= this.#scanFolders().finally(() => {
      this.#pendingRefresh = undefined;
    });
    await this.#pendingRefresh;
  }

  async #scanFolders(): Promise<void> {
    const { pool, store, loadableOf, onChange, now } = this.#options;
    const { models } = await store.list();
    this.#refreshedAtMs = now();
    const foundModels = new Map<string, StoredModel>();
    for (const model of models) {
      const isTaken =
        pool.models.some(({ aliases }) => aliases.includes(model.name)) ||
        (pool.find(model.name) !== undefined && !this.#servedByName.has(model.name));
      // A configured model with the same name takes precedence, then ggufd's own folder.
      if (!isTaken && !foundModels.has(model.name)) foundModels.set(model.name, model);
    }
    let isChanged = false;
    for (const [name, { pooled, version }] of this.#servedByName) {
      const stored = foundModels.get(name);
      if (stored !== undefined && versionOf(stored) === version) continue;
      this.#servedByName.delete(name);
      isChanged = true;
      void pool.remove(pooled);
    }
    for (const [name, stored] of foundModels) {
      if (this.#servedByName.has(name)) continue;
      const pooled = pool.add(loadableOf(stored));
      this.#servedByName.set(name, { stored, pooled, version: versionOf(stored) });
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
