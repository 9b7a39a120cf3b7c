import { type ModelRights, permitsModel } from "../../core/model-rights.js";
import type { ModelPool } from "./model-pool.js";
import type { PooledModel } from "./pooled-model.js";

/** The pool, as far as the registry uses it. */
export type RegistryPool = Pick<ModelPool, "models" | "find" | "use" | "load" | "drain">;

/** Models that are added to the pool when they are stored. */
export interface StoredLookup {
  /** Finds a model outside the pool, or a pooled model by another spelling of its name. */
  find(name: string): Promise<PooledModel | undefined>;
  /** Updates the pool. */
  refresh(): Promise<void>;
}

/** Returns the part of a pool that a key with these rights may use. */
export function permitPool(pool: RegistryPool, rights: ModelRights): RegistryPool {
  return {
    get models() {
      return pool.models.filter((model) => permitsModel(rights, model));
    },
    find(alias) {
      const model = pool.find(alias);
      return model && permitsModel(rights, model) ? model : undefined;
    },
    use: (model, user) => pool.use(model, user),
    load: (model, signal) => pool.load(model, signal),
    drain: () => pool.drain(),
  };
}

/** Returns the stored models that a key with these rights may use. */
export function permitStored(stored: StoredLookup, rights: ModelRights): StoredLookup {
  return {
    async find(name) {
      const model = await stored.find(name);
      return model && permitsModel(rights, model) ? model : undefined;
    },
    refresh: () => stored.refresh(),
  };
}
