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
 * What of this machine's memory is for models. It is measured once, before the first model is planned that others may
 * have to make room for: what a server starts with was meant to fit together, and its loading tells if it does not.
 */
export class MemoryBudget {
  readonly #wanted: Config["memoryBudget"];
  #measured: Promise<MemoryUse> | undefined;
  #known: MemoryUse = UNLIMITED;

  /** @param wanted as configured, in GiB */
  constructor(wanted: Config["memoryBudget"]) {
    this.#wanted = wanted;
  }

  /** Without a limit until it is measured. */
  get known(): MemoryUse {
    return this.#known;
  }

  /**
   * @param spec of a model, by which it is known which device is of use
   * @param held what models take that are loaded already
   * @throws {StartupError} when that model cannot be read
   */
  async measure(spec: ModelSpec, held: MemoryUse): Promise<MemoryUse> {
    this.#measured ??= this.#measure(spec, held);
    try {
      this.#known = await this.#measured;
    } catch (error) {
      // Another model may be one that can be read.
      this.#measured = undefined;
      throw error;
    }
    return this.#known;
  }

  async #measure(spec: ModelSpec, held: MemoryUse): Promise<MemoryUse> {
    const here = { memoryGiB: undefined, gpuMemoryGiB: undefined };
    const { report } = await planInProcess([spec], here);
    const free = report.models[0]?.plan.memory.free ?? NO_MEMORY;
    // Of main memory, what is loaded counts as free already but for its caches.
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
