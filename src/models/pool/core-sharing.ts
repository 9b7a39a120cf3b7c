import type { PooledModel } from "./pooled-model.js";

/** Current CPU load of the models. */
interface CoreDemand {
  /** Performance cores, each counted once regardless of hyperthreads. */
  readonly cores: number;
  /** Number of models with requests. */
  readonly computing: number;
  /** Number of models being loaded, each of which keeps one core busy. */
  readonly loading: number;
}

/**
 * Computes the maximum number of computing threads per model. llama.cpp's threads synchronise in
 * each layer: if there are more threads than cores, all wait for a thread that has been preempted.
 * @returns `undefined` if nothing else computes: no limit
 */
export function computeThreadLimit({ cores, computing, loading }: CoreDemand): number | undefined {
  if (computing + loading < 2) return undefined;
  return Math.max(1, Math.floor((cores - loading) / Math.max(1, computing)));
}

/**
 * Divides the cores among the models that currently compute, and notifies these of their limits.
 */
export class CoreSharing {
  readonly #cores: number;
  readonly #computingModels = new Set<PooledModel>();
  #loading = 0;

  /** @param cores see {@link CoreDemand} */
  constructor(cores: number) {
    this.#cores = cores;
  }

  /** Updates the limits when a model becomes busy or idle. */
  update(model: PooledModel): void {
    if (model.isBusy && model.instance?.computesOn === "cpu") this.#computingModels.add(model);
    else this.#computingModels.delete(model);
    this.#sendLimits();
  }

  /**
   * Runs work while reserving a core for it.
   * @param work loads a model, and takes a core until it has settled
   */
  async runWithReservedCore<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#loading += 1;
    this.#sendLimits();
    try {
      return await work();
    } finally {
      this.#loading -= 1;
      this.#sendLimits();
    }
  }

  #sendLimits(): void {
    const { size: computing } = this.#computingModels;
    const limit = computeThreadLimit({ cores: this.#cores, computing, loading: this.#loading });
    for (const { instance } of this.#computingModels) instance?.limitThreads(limit);
  }
}
