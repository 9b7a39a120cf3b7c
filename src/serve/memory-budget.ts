import type { ModelSpec } from "../config/model-spec.js";
import type { Config } from "../config/settings.js";
import { MAX_CPU_SHARE, MAX_GPU_SHARE, type MemoryUse, NO_MEMORY } from "../core/memory-use.js";
import { planInProcess } from "./plan-process.js";

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
  readonly #wanted: Config["memoryBudget"];
  #measured: Promise<MemoryUse> | undefined;
  #known: MemoryUse = UNLIMITED;

  /** @param wanted configured budget, in GiB */
  constructor(wanted: Config["memoryBudget"]) {
    this.#wanted = wanted;
  }

  /** The budget in bytes; unlimited until it is measured. */
  get known(): MemoryUse {
    return this.#known;
  }

  /**
   * Measures the budget, once.
   * @param spec a model, which decides which device is used
   * @param held memory of the loaded models
   * @throws {StartupError} if the model cannot be read
   */
  async measure(spec: ModelSpec, held: MemoryUse): Promise<MemoryUse> {
    this.#measured ??= this.#measure(spec, held);
    try {
      this.#known = await this.#measured;
    } catch (error) {
      // Try again with the next model, which may be readable.
      this.#measured = undefined;
      throw error;
    }
    return this.#known;
  }

  async #measure(spec: ModelSpec, held: MemoryUse): Promise<MemoryUse> {
    const here = { memoryGiB: undefined, gpuMemoryGiB: undefined };
    const { report } = await planInProcess([spec], here);
    const free = report.models[0]?.plan.memory.free ?? NO_MEMORY;
    // Loaded models count as free main memory already, except for their caches.
    return {
      cpuBytes:
        this.#wanted === undefined ? free.cpuBytes * MAX_CPU_SHARE : this.#wanted.mainGiB * GIB,
      gpuBytes:
        this.#wanted?.gpuGiB === undefined
          ? (free.gpuBytes + held.gpuBytes) * MAX_GPU_SHARE
          : this.#wanted.gpuGiB * GIB,
    };
  }
}
