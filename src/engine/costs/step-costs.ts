/** Weight of the latest value in {@link exponentialAverage}. */
const LATEST_WEIGHT = 0.2;

/** Exponential moving average; the first value is its own average. */
export function exponentialAverage(average: number | undefined, latest: number): number {
  return average === undefined ? latest : average + LATEST_WEIGHT * (latest - average);
}

/** An estimate older than this is discarded: conditions may have changed since it was measured. */
const STALE_AFTER_STEPS = 1000;

/**
 * Learnt duration of decode steps by batch size. It is measured rather than assumed, because the
 * spare compute of a small batch differs by orders of magnitude between a laptop and a large GPU.
 */
export class StepCosts {
  /** By size class: 1, 2, 3–4, 5–8, … tokens. */
  readonly #estimates: ({ readonly stepMs: number; readonly learntAtStep: number } | undefined)[] =
    [];
  #steps = 0;

  learn(tokens: number, stepMs: number): void {
    const index = sizeClass(tokens);
    this.#estimates[index] = {
      stepMs: exponentialAverage(this.#estimates[index]?.stepMs, stepMs),
      learntAtStep: ++this.#steps,
    };
  }

  /** Ages the estimates by one step that says nothing about these costs. */
  skip(): void {
    this.#steps++;
  }

  /**
   * Expected duration of a step with this many tokens, in milliseconds; `undefined` without a
   * recent measurement in that size class.
   */
  estimateMs(tokens: number): number | undefined {
    const estimate = this.#estimates[sizeClass(tokens)];
    if (estimate === undefined) return undefined;
    return this.#steps - estimate.learntAtStep < STALE_AFTER_STEPS ? estimate.stepMs : undefined;
  }

  /**
   * Lower bound for a step with this many tokens, in milliseconds: the estimate of the largest
   * known size class up to it, or 0. Planning with the bound tries unknown sizes, which makes
   * their cost known.
   */
  lowerBoundMs(tokens: number): number {
    for (let size = tokens; size > 1; size /= 2) {
      const estimateMs = this.estimateMs(size);
      if (estimateMs !== undefined) return estimateMs;
    }
    return this.estimateMs(1) ?? 0;
  }
}

function sizeClass(tokens: number): number {
  return Math.ceil(Math.log2(Math.max(1, tokens)));
}
