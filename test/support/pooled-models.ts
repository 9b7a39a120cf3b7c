import { NO_MEMORY } from "../../src/core/memory-use.js";
import type { ModelKind, ServedModel } from "../../src/core/model-directory.js";
import { ModelPool } from "../../src/models/pool/model-pool.js";
import { ModelRegistry, type ModelRegistryOptions } from "../../src/models/pool/model-registry.js";
import { type LoadableModel, PooledModel } from "../../src/models/pool/pooled-model.js";

/** Model whose loading ends when the test decides, with {@link finishLoading}. */
export function loadableByTest(
  alias: string,
  kind?: ModelKind,
  aliases: readonly string[] = [],
): LoadableModel {
  return {
    alias,
    aliases,
    kind,
    isPinned: false,
    idleLimitMs: undefined,
    adapters: [],
    plan: async () => NO_MEMORY,
    load: () => new Promise(() => undefined),
  };
}

/** A model that is being loaded. */
export function loadingModel(alias: string, kind?: ModelKind): PooledModel {
  const model = new PooledModel(loadableByTest(alias, kind), () => 0);
  model.beginLoading();
  return model;
}

/** The model is loaded from now on. */
export function finishLoading(model: PooledModel, served: ServedModel): void {
  model.endLoading({
    served,
    memory: NO_MEMORY,
    inFlight: 0,
    computesOn: "cpu",
    limitThreads: () => undefined,
    whenIdle: async () => undefined,
    endAll: () => undefined,
    close: async () => undefined,
  });
}

/** A model that is loaded. */
export function loadedModel(served: ServedModel): PooledModel {
  const model = loadingModel(served.alias, served.kind);
  finishLoading(model, served);
  return model;
}

/**
 * A registry with models that are loaded, and others that are being loaded.
 * @param models a name: of one that is being loaded
 * @param otherNamesOfFirst aliases of the first model
 */
export function registryWith(
  models: readonly (ServedModel | string)[],
  otherNames: ModelRegistryOptions["otherNames"] = "rejected",
  otherNamesOfFirst: readonly string[] = [],
): ModelRegistry {
  const aliases = models.map((one) => (typeof one === "string" ? one : one.alias));
  const pool = new ModelPool({
    cores: 2,
    models: models.map((one, index) => {
      const { alias, kind } = typeof one === "string" ? { alias: one, kind: undefined } : one;
      return loadableByTest(alias, kind, index === 0 ? otherNamesOfFirst : []);
    }),
    budget: () => NO_MEMORY,
    maxWaiting: 100,
    waitingLimitMs: 0,
    onFailure: () => undefined,
  });
  for (const [index, model] of pool.models.entries()) {
    const given = models[index];
    model.beginLoading();
    if (typeof given === "object") finishLoading(model, given);
  }
  return new ModelRegistry({ pool, startupModels: aliases, otherNames });
}
