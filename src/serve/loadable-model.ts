import type { ModelSpec } from "../config/model-spec.js";
import { type MemoryUse, NO_MEMORY } from "../core/memory-use.js";
import type { LoadableModel } from "../models/pool/pooled-model.js";
import type { MemoryBudget } from "./memory-budget.js";
import { planInProcess } from "./plan-process.js";
import { type ModelDependencies, runModel } from "./running-model.js";

export interface LoadableOptions extends ModelDependencies {
  readonly budget: MemoryBudget;
  /** What those take that are loaded at the moment. */
  readonly heldMemory: () => MemoryUse;
  /** What else is to be known of a model before it is planned or loaded. @default as it is */
  readonly complete?: (spec: ModelSpec) => Promise<ModelSpec>;
}

const GIB = 2 ** 30;

/**
 * A configured model, as the pool loads it. What it takes is what it took when it was loaded last, else what is planned
 * for it; of models that the server starts with, which are meant to fit together, nothing is planned before.
 */
export function loadableModel(spec: ModelSpec, options: LoadableOptions): LoadableModel {
  const { budget, heldMemory, complete = async () => spec, ...dependencies } = options;
  let known: MemoryUse | undefined = spec.loadsAtStart ? NO_MEMORY : undefined;
  let hasBeenLoaded = false;
  const lastPlan = {};
  const currentSpec = async (): Promise<ModelSpec> => ({
    ...(await complete(spec)),
    gpu: dependencies.devices.gpuOf(spec.gpu),
  });
  return {
    alias: spec.alias,
    // What the file of one that generates text is for is known once it is read.
    kind: spec.kind === "generation" ? undefined : spec.kind,
    isPinned: spec.pinned,
    adapters: spec.kind === "generation" ? spec.adapters : [],
    idleLimitMs: spec.ttlMs === "forever" ? undefined : spec.ttlMs,
    async plan() {
      known ??= await plannedUseOf(await currentSpec(), budget, heldMemory());
      return known;
    },
    async load(listener, signal) {
      // Pages of files that other models are read from count as free.
      const besides = { cpuBytes: heldMemory().cpuBytes, gpuBytes: 0 };
      const instance = await runModel(await currentSpec(), {
        ...dependencies,
        ...{ alias: spec.alias, besides, lastPlan, listener, signal },
        occasion: spec.loadsAtStart && !hasBeenLoaded ? "ahead" : "asked-for",
      });
      dependencies.enginesAhead.startNext();
      hasBeenLoaded = true;
      known = instance.memory;
      return instance;
    },
  };
}

async function plannedUseOf(
  spec: ModelSpec,
  budget: MemoryBudget,
  held: MemoryUse,
): Promise<MemoryUse> {
  const { cpuBytes, gpuBytes } = await budget.measure(spec, held);
  const { uses } = await planInProcess([spec], {
    memoryGiB: cpuBytes / GIB,
    gpuMemoryGiB: gpuBytes === 0 ? undefined : gpuBytes / GIB,
  });
  return uses[0] ?? NO_MEMORY;
}
