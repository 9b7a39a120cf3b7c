import type { ModelSpec } from "../config/model-spec.js";
import type { Config } from "../config/settings.js";
import { MAX_CPU_SHARE, MAX_GPU_SHARE, type MemoryUse, NO_MEMORY } from "../core/memory-use.js";
import type { LoadableModel } from "../models/pool/pooled-model.js";
import { planInProcess } from "./plan-process.js";
import { type ModelDependencies, runModel } from "./running-model.js";

export interface LoadableOptions extends ModelDependencies {
  /** What there is for all models together. */
  readonly budget: MemoryUse;
  /** What those take that are loaded at the moment. */
  readonly heldMemory: () => MemoryUse;
}

const GIB = 2 ** 30;

/**
 * A configured model, as the pool loads it. What it takes is what it took when it was loaded last, else what is planned
 * for it; of models that the server starts with, which are meant to fit together, nothing is planned before.
 */
export function loadableModel(spec: ModelSpec, options: LoadableOptions): LoadableModel {
  const { budget, heldMemory, ...dependencies } = options;
  let known: MemoryUse | undefined = spec.loadsAtStart ? NO_MEMORY : undefined;
  return {
    alias: spec.alias,
    // What the file of one that generates text is for is known once it is read.
    kind: spec.kind === "generation" ? undefined : spec.kind,
    isPinned: spec.pinned,
    idleLimitMs: spec.ttlMs === "for-ever" ? undefined : spec.ttlMs,
    async plan() {
      known ??= await plannedUseOf(spec, budget);
      return known;
    },
    async load(listener, signal) {
      // Pages of files that other models are read from count as free.
      const besides = { cpuBytes: heldMemory().cpuBytes, gpuBytes: 0 };
      const loading = { ...dependencies, alias: spec.alias, besides, listener, signal };
      const instance = await runModel(spec, loading);
      known = instance.memory;
      return instance;
    },
  };
}

async function plannedUseOf(
  spec: ModelSpec,
  { cpuBytes, gpuBytes }: MemoryUse,
): Promise<MemoryUse> {
  const { uses } = await planInProcess([spec], {
    memoryGiB: cpuBytes / GIB,
    gpuMemoryGiB: gpuBytes === 0 ? undefined : gpuBytes / GIB,
  });
  return uses[0] ?? NO_MEMORY;
}

/**
 * What of this machine's memory is for models, before any is loaded.
 * @param specs the first one decides which device is of use
 * @param wanted as configured, in GiB
 * @throws {StartupError} when that model cannot be read
 */
export async function memoryForModels(
  [first]: readonly ModelSpec[],
  wanted: Config["memoryBudget"],
): Promise<MemoryUse> {
  const here = { memoryGiB: undefined, gpuMemoryGiB: undefined };
  const planned = first && (await planInProcess([first], here)).report.models[0];
  const free = planned?.plan.memory.free ?? NO_MEMORY;
  return {
    cpuBytes: wanted === undefined ? free.cpuBytes * MAX_CPU_SHARE : wanted.mainGiB * GIB,
    gpuBytes: wanted?.gpuGiB === undefined ? free.gpuBytes * MAX_GPU_SHARE : wanted.gpuGiB * GIB,
  };
}
