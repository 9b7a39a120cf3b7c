import { sumBy } from "./sum-by.js";

/** Histogram in the form that Prometheus expects. Plain data. */
export interface HistogramCounts {
  /** Ascending upper bounds; observations above the last bound are included in `count` only. */
  readonly bounds: readonly number[];
  /** Number of observations in each bucket (not cumulative). */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

/**
 * Sums histograms.
 * @param parts at least one, all with the same bounds
 */
export function sumHistograms(parts: readonly HistogramCounts[]): HistogramCounts {
  const { bounds = [] } = parts[0] ?? {};
  return {
    bounds,
    counts: bounds.map((_, index) => sumBy(parts, ({ counts }) => counts[index] ?? 0)),
    count: sumBy(parts, ({ count }) => count),
    sum: sumBy(parts, ({ sum }) => sum),
  };
}

/** Counts observations by size. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  /** @param bounds ascending upper bounds */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#count++;
    this.#sum += value;
    const index = this.#bounds.findIndex((bound) => value <= bound);
    const count = this.#counts[index];
    if (count !== undefined) this.#counts[index] = count + 1;
  }

  get counts(): HistogramCounts {
    return {
      bounds: this.#bounds,
      counts: [...this.#counts],
      count: this.#count,
      sum: this.#sum,
    };
  }
}
