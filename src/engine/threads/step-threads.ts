import type { ThreadCounts } from "../../core/engine.js";

export interface StepThreadsOptions {
  /** Thread counts of steps while no other work needs the cores. */
  readonly defaultThreads: ThreadCounts;
  /** Number of cores that are not efficiency cores. */
  readonly cores: number;
  /** Maximum number of cores that {@link StepThreads.runAlongside} takes from steps. */
  readonly maxTakenCores: number;
  /** Sets the thread counts, which apply from the next step. */
  readonly setThreads: (threads: ThreadCounts) => void;
}

/**
 * Controls the number of threads that compute a step. All threads wait for each other many times
 * per step, so one on a core shared with other work delays all of them: while there is such work,
 * steps leave cores free for it.
 */
export class StepThreads {
  readonly #options: StepThreadsOptions;
  #limit: number | undefined;
  #activeJobs = 0;

  constructor(options: StepThreadsOptions) {
    this.#options = options;
  }

  /**
   * @param limit limit set by the daemon because other models compute as well; `undefined` for none
   */
  limitTo(limit: number | undefined): void {
    this.#limit = limit;
    this.#update();
  }

  /** Runs work in parallel with steps, which leave a core free until it settles. */
  async runAlongside<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#activeJobs += 1;
    this.#update();
    try {
      return await work();
    } finally {
      this.#activeJobs -= 1;
      this.#update();
    }
  }

  #update(): void {
    const { defaultThreads, cores, maxTakenCores, setThreads } = this.#options;
    const limits = this.#limit === undefined ? [] : [this.#limit];
    if (this.#activeJobs > 0)
      limits.push(Math.max(1, cores - Math.min(this.#activeJobs, maxTakenCores)));
    setThreads({
      decode: Math.min(defaultThreads.decode, ...limits),
      prefill: Math.min(defaultThreads.prefill, ...limits),
    });
  }
}
