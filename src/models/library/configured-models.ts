import { isDeepStrictEqual } from "node:util";
import { StartupError } from "../../core/startup-error.js";
import type { ModelPool } from "../pool/model-pool.js";
import type { LoadableModel, PooledModel } from "../pool/pooled-model.js";

/** Model that the operator has configured. */
export interface ConfiguredModel {
  /** Name in the API. */
  readonly alias: string;
  /** Path of the model's first file. */
  readonly file: string;
  /** Everything that decides how the model is loaded. Plain data. */
  readonly spec: unknown;
}

export interface ConfiguredModelsOptions<Model extends ConfiguredModel> {
  /** Pool that contains the models. */
  readonly pool: ModelPool;
  /** Models that the server starts with. */
  readonly models: readonly Model[];
  /**
   * Reads the configured models again.
   * @throws {StartupError} if the configuration is invalid
   */
  readonly read: () => Promise<readonly Model[]>;
  readonly loadableOf: (model: Model) => LoadableModel;
  /** Called when models were added, changed or removed. */
  readonly onChange: () => void;
}

/** Configured models in the pool, the default one first; they can be read again. */
export class ConfiguredModels<Model extends ConfiguredModel = ConfiguredModel> {
  readonly #options: ConfiguredModelsOptions<Model>;
  #models: readonly Model[];
  #reloading: Promise<void> = Promise.resolve();

  constructor(options: ConfiguredModelsOptions<Model>) {
    this.#options = options;
    this.#models = options.models;
  }

  /** The models in configured order. */
  get pooled(): readonly PooledModel[] {
    return this.#models.flatMap(({ alias }) => this.#options.pool.find(alias) ?? []);
  }

  /** Returns the path of the first file of a model; `undefined` if it is not configured. */
  fileOf(alias: string): string | undefined {
    return this.#models.find((model) => model.alias === alias)?.file;
  }

  /**
   * Reads the models again. A changed or removed model accepts no more requests in its old form,
   * which is unloaded when its requests have ended; a changed one is loaded on its next request.
   * @throws {StartupError} if the configuration is invalid; nothing is changed then
   */
  reload(): Promise<void> {
    const reloaded = this.#reloading.then(() => this.#reload());
    this.#reloading = reloaded.catch(() => undefined);
    return reloaded;
  }

  async #reload(): Promise<void> {
    const { pool, read, loadableOf, onChange } = this.#options;
    const wanted = await read();
    const before = new Map(this.#models.map((model) => [model.alias, model]));
    const isSame = (model: Model) => isDeepStrictEqual(before.get(model.alias)?.spec, model.spec);
    const taken = wanted.find(({ alias }) => !before.has(alias) && pool.find(alias) !== undefined);
    if (taken !== undefined) {
      throw new StartupError(
        `two models are named ${taken.alias}: expected a name that no stored model has`,
      );
    }
    const kept = new Set(wanted.filter(isSame).map(({ alias }) => alias));
    if (kept.size === before.size && kept.size === wanted.length) return;
    for (const { alias } of this.#models) {
      const pooled = kept.has(alias) ? undefined : pool.find(alias);
      if (pooled !== undefined) void pool.remove(pooled);
    }
    for (const model of wanted) if (!kept.has(model.alias)) pool.add(loadableOf(model));
    this.#models = wanted;
    onChange();
  }
}
