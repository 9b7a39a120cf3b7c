import type { ModelSpec } from "../config/model-spec.js";
import type { Config } from "../config/settings.js";
import { MAX_CPU_SHARE, MAX_GPU_SHARE, type MemoryUse } from "../core/memory-use.js";
import { readCpuMemory } from "../engine/memory/cpu-memory.js";
import type { GpuChoice } from "../engine/native/llama-backend.js";
import { usesWorkers } from "../engine/native/placement.js";
import { measureInProcess, planInProcess } from "./plan-process.js";

const GIB = 2 ** 30;

const UNLIMITED: MemoryUse = {
  cpuBytes: Number.POSITIVE_INFINITY,
  gpuBytes: Number.POSITIVE_INFINITY,
};

/**
 * Memory of this machine that models may use. Measured once, before the first model is planned that
 * may need others to be unloaded. The models that the server starts with are assumed to fit
 * together; if they do not, loading them fails.
 */
export class MemoryBudget {
  readonly #configuredBudget: Config["memoryBudget"];
  #measurement: Promise<MemoryUse> | undefined;
  #knownLimit: MemoryUse = UNLIMITED;

  /** @param budgetGiB configured budget, in GiB */
  constructor(budgetGiB: Config["memoryBudget"]) {
    this.#configuredBudget = budgetGiB;
  }

  /** The budget in bytes; unlimited until it is measured. */
  get limit(): MemoryUse {
    return this.#knownLimit;
  }

  /**
   * Measures the budget, once.
   * @param spec a model, which decides which device is used
   * @param held memory of the loaded models
   * @throws {StartupError} if the model cannot be read
   */
  async measure(spec: ModelSpec, held: MemoryUse): Promise<MemoryUse> {
    this.#measurement ??= this.#measure(spec, held);
    try {
      this.#knownLimit = await this.#measurement;
    } catch (error) {
      // Try again with the next model, which may be readable.
      this.#measurement = undefined;
      throw error;
    }
    return this.#knownLimit;
  }

  /**
   * Returns the budget for models that are not on this machine, so that none of them can be
   * planned: the measured one, else an estimate, which decides nothing.
   * @param gpu device for models
   * @param held memory of the loaded models
   */
  async estimate(gpu: GpuChoice, held: MemoryUse): Promise<MemoryUse> {
    if (this.#knownLimit !== UNLIMITED) return this.#knownLimit;
    const mainMemory = { cpuBytes: readCpuMemory().freeBytes, gpuBytes: 0 };
    return this.#toBudget((await measureInProcess(gpu)) ?? mainMemory, held);
  }

  async #measure(spec: ModelSpec, held: MemoryUse): Promise<MemoryUse> {
    const thisMachine = { memoryGiB: undefined, gpuMemoryGiB: undefined };
    const { report } = await planInProcess([withoutWorkers(spec)], thisMachine);
    return this.#toBudget(report.free, held);
  }

  #toBudget(free: MemoryUse, held: MemoryUse): MemoryUse {
    // Free main memory already includes that of loaded models, except for their caches.
    return {
      cpuBytes:
        this.#configuredBudget === undefined
          ? free.cpuBytes * MAX_CPU_SHARE
          : this.#configuredBudget.mainGiB * GIB,
      gpuBytes:
        this.#configuredBudget?.gpuGiB === undefined
          ? (free.gpuBytes + held.gpuBytes) * MAX_GPU_SHARE
          : this.#configuredBudget.gpuGiB * GIB,
    };
  }
}

/** Returns the memory of a model that counts towards the budget: no memory of other machines. */
export function countOnThisMachine({ placement }: ModelSpec, use: MemoryUse): MemoryUse {
  // A GPU of this machine that shares the model with workers is not told apart from theirs.
  return usesWorkers(placement) ? { ...use, gpuBytes: 0 } : use;
}

/** Returns a spec that can be planned without the model's workers, to measure this machine. */
function withoutWorkers(spec: ModelSpec): ModelSpec {
  if (!usesWorkers(spec.placement)) return spec;
  const none = undefined;
  const ofDevices = { workers: none, devices: none, mainGpu: none, tensorSplit: none };
  return { ...spec, placement: { ...spec.placement, ...ofDevices } };
}
