import type { PooledModel } from "./pooled-model.js";

/** What computes on the CPU at a moment. */
interface CoreDemand {
  /** That are not efficiency cores, each counted once whatever the number of its hyperthreads. */
  readonly cores: number;
  /** Models with requests. */
  readonly computing: number;
  /** Models that are being loaded, each of which keeps one core busy. */
  readonly loading: number;
}

/**
 * With how many threads each model may compute at most. llama.cpp's threads wait for each other in each layer: where there
 * are more of them than cores, all wait for the one that the system has taken a core from.
 * @returns `undefined`: with as many as it likes, for nothing else computes
 */
export function threadLimit({ cores, computing, loading }: CoreDemand): number | undefined {
  if (computing + loading < 2) return undefined;
  return Math.max(1, Math.floor((cores - loading) / Math.max(1, computing)));
}

/** Divides the cores among the models that compute at a moment, and tells those of it. */
export class CoreSharing {
  readonly #cores: number;
  readonly #computing = new Set<PooledModel>();
  #loading = 0;

  /** @param cores see {@link CoreDemand} */
  constructor(cores: number) {
    this.#cores = cores;
  }

  /** A model has got a request, or has none any more. */
  note(model: PooledModel): void {
    if (model.isBusy && model.instance?.computesOn === "cpu") this.#computing.add(model);
    else this.#computing.delete(model);
    this.#tell();
  }

  /** @param work of loading a model, which takes a core until it has settled */
  async whileLoading<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#loading += 1;
    this.#tell();
    try {
      return await work();
    } finally {
      this.#loading -= 1;
      this.#tell();
    }
  }

  #tell(): void {
    const { size: computing } = this.#computing;
    const limit = threadLimit({ cores: this.#cores, computing, loading: this.#loading });
    for (const { instance } of this.#computing) instance?.limitThreads(limit);
  }
}
