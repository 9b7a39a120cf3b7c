/** Weight of the latest value in {@link updateAverage}. */
const LATEST_WEIGHT = 0.2;

/**
 * Updates an exponential moving average; the first value is its own average.
 * @param count number of consecutive values equal to the latest one
 */
export function updateAverage(average: number | undefined, latest: number, count = 1): number {
  const weight = 1 - (1 - LATEST_WEIGHT) ** count;
  return average === undefined ? latest : average + weight * (latest - average);
}

/** Estimates older than this are discarded, as conditions may have changed. */
const STALE_AFTER_STEPS = 1000;

/**
 * Learned duration of decode steps by batch size. It is measured rather than assumed, because the
 * spare compute of a small batch differs by orders of magnitude between a laptop and a large GPU.
 */
export class StepCosts {
  /** Estimates by size class: 1, 2, 3–4, 5–8, … tokens. */
  readonly #estimates: ({ readonly stepMs: number; readonly learntAtStep: number } | undefined)[] =
    [];
  #steps = 0;

  learn(tokens: number, stepMs: number): void {
    const index = computeSizeClass(tokens);
    this.#estimates[index] = {
      stepMs: updateAverage(this.#estimates[index]?.stepMs, stepMs),
      learntAtStep: ++this.#steps,
    };
  }

  /** Ages the estimates by one step without a measurement. */
  skip(): void {
    this.#steps++;
  }

  /**
   * Returns the expected duration of a step with this many tokens, in milliseconds; `undefined`
   * without a recent measurement in that size class.
   */
  estimateMs(tokens: number): number | undefined {
    const estimate = this.#estimates[computeSizeClass(tokens)];
    if (estimate === undefined) return undefined;
    return this.#steps - estimate.learntAtStep < STALE_AFTER_STEPS ? estimate.stepMs : undefined;
  }

  /**
   * Returns the expected duration of a step with this many tokens, in milliseconds. An unknown size
   * class is interpolated between the nearest known ones; without a larger one, the result is the
   * {@link estimateLowerBoundMs}.
   */
  interpolateMs(tokens: number): number {
    const knownMs = this.estimateMs(tokens);
    if (knownMs !== undefined) return knownMs;
    const ownClass = computeSizeClass(tokens);
    const isKnown = (index: number) => this.estimateMs(2 ** index) !== undefined;
    const classAbove = this.#estimates.findIndex((_, index) => index > ownClass && isKnown(index));
    if (classAbove < 0) return this.estimateLowerBoundMs(tokens);
    const classBelow = this.#estimates.findLastIndex(
      (_, index) => index < ownClass && isKnown(index),
    );
    // Without a smaller class, interpolates from 0 tokens in 0 ms.
    const [fewer, fewerMs] =
      classBelow < 0 ? [0, 0] : [2 ** classBelow, this.estimateMs(2 ** classBelow) ?? 0];
    const [more, moreMs] = [2 ** classAbove, this.estimateMs(2 ** classAbove) ?? 0];
    return fewerMs + ((tokens - fewer) / (more - fewer)) * (moreMs - fewerMs);
  }

  /**
   * Returns a lower bound for a step with this many tokens, in milliseconds: the estimate of the
   * largest known size class up to it, or 0. Planning with the bound tries unknown sizes, which
   * makes their cost known.
   */
  estimateLowerBoundMs(tokens: number): number {
    for (let size = tokens; size > 1; size /= 2) {
      const estimateMs = this.estimateMs(size);
      if (estimateMs !== undefined) return estimateMs;
    }
    return this.estimateMs(1) ?? 0;
  }
}

function computeSizeClass(tokens: number): number {
  return Math.ceil(Math.log2(Math.max(1, tokens)));
}
