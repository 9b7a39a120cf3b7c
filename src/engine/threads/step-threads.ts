import type { ThreadCounts } from "../../core/engine.js";

export interface StepThreadsOptions {
  /** Threads that compute while nothing else does. */
  readonly chosen: ThreadCounts;
  /** That are not efficiency cores. */
  readonly cores: number;
  /** Cores that {@link StepThreads.beside} takes at most, however much is asked of it. */
  readonly maxTaken: number;
  /** Has steps compute with so many threads, from the next one on. */
  readonly set: (threads: ThreadCounts) => void;
}

/**
 * The number of threads that compute a step. All of them wait for each other many times a step, so a core that something
 * else computes on holds up all the others: while it does, steps leave it to that.
 */
export class StepThreads {
  readonly #options: StepThreadsOptions;
  #limit: number | undefined;
  #working = 0;

  constructor(options: StepThreadsOptions) {
    this.#options = options;
  }

  /** @param limit that the daemon sets, because other models compute as well; `undefined`: none */
  limitTo(limit: number | undefined): void {
    this.#limit = limit;
    this.#update();
  }

  /** Leaves a core to work that runs beside steps, until it has settled. */
  async beside<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#working += 1;
    this.#update();
    try {
      return await work();
    } finally {
      this.#working -= 1;
      this.#update();
    }
  }

  #update(): void {
    const { chosen, cores, maxTaken, set } = this.#options;
    const limits = this.#limit === undefined ? [] : [this.#limit];
    if (this.#working > 0) limits.push(Math.max(1, cores - Math.min(this.#working, maxTaken)));
    set({
      decode: Math.min(chosen.decode, ...limits),
      prefill: Math.min(chosen.prefill, ...limits),
    });
  }
}
