import { type ModelSpec, projectorOf } from "../config/model-spec.js";
import { addMemory, type MemoryUse, NO_MEMORY } from "../core/memory-use.js";
import type { LoadableModel } from "../models/pool/pooled-model.js";
import { countOnThisMachine, type MemoryBudget } from "./memory-budget.js";
import { planInProcess } from "./plan-process.js";
import { type ModelDependencies, runModel } from "./running-model.js";

export interface LoadableOptions extends ModelDependencies {
  readonly budget: MemoryBudget;
  /** Memory of the models that are currently loaded. */
  readonly heldMemory: () => MemoryUse;
  /** Called whenever a model has been loaded. */
  readonly onLoaded: () => void;
  /** Completes a spec before its model is planned or loaded. @default the spec is complete */
  readonly complete?: (spec: ModelSpec) => Promise<ModelSpec>;
}

const GIB = 2 ** 30;

/**
 * Makes a configured model loadable by the pool. Its memory is that of its last load, or else
 * planned. Models that the server starts with are not planned before: they are assumed to fit
 * together.
 */
export function createLoadableModel(spec: ModelSpec, options: LoadableOptions): LoadableModel {
  const { budget, heldMemory, onLoaded, complete = async () => spec, ...dependencies } = options;
  let knownMemory: MemoryUse | undefined = spec.loadsAtStart ? NO_MEMORY : undefined;
  let hasBeenLoaded = false;
  const lastPlan = {};
  const buildCurrentSpec = async (): Promise<ModelSpec> => ({
    ...(await complete(spec)),
    gpu: dependencies.devices.gpuOf(spec.gpu),
  });
  return {
    alias: spec.alias,
    aliases: spec.aliases ?? [],
    // The kind of a generation model is known only once its file is read: it may be a pooling
    // model.
    kind: spec.kind === "generation" ? undefined : spec.kind,
    isPinned: spec.pinned,
    adapters: spec.kind === "generation" ? spec.adapters : [],
    idleLimitMs: spec.ttlMs === "forever" ? undefined : spec.ttlMs,
    hasProjector: spec.kind === "generation" && projectorOf(spec) !== undefined,
    get knownMemory() {
      return knownMemory === NO_MEMORY ? undefined : knownMemory;
    },
    async plan() {
      knownMemory ??= await planMemoryUse(await buildCurrentSpec(), budget, heldMemory());
      return knownMemory;
    },
    async load(listener, signal) {
      // Pages of the files of other models count as free memory.
      const otherModelsMemory = { cpuBytes: heldMemory().cpuBytes, gpuBytes: 0 };
      const instance = await runModel(await buildCurrentSpec(), {
        ...dependencies,
        alias: spec.alias,
        otherModelsMemory,
        lastPlan,
        listener,
        signal,
        occasion: spec.loadsAtStart && !hasBeenLoaded ? "ahead" : "on-demand",
      });
      onLoaded();
      hasBeenLoaded = true;
      knownMemory = instance.memory;
      return instance;
    },
  };
}

async function planMemoryUse(
  spec: ModelSpec,
  budget: MemoryBudget,
  loadedMemory: MemoryUse,
): Promise<MemoryUse> {
  const { cpuBytes, gpuBytes } = await budget.measure(spec, loadedMemory);
  const { uses } = await planInProcess([spec], {
    memoryGiB: cpuBytes / GIB,
    gpuMemoryGiB: gpuBytes === 0 ? undefined : gpuBytes / GIB,
  });
  return countOnThisMachine(spec, addMemory(uses));
}
