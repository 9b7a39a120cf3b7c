import { mean, sum } from "./statistics.js";

/** Number of time spans whose means are fitted. */
export const BLOCKS = 12;
/** Student's t for 95 % and BLOCKS - 2 degrees of freedom. */
const T_95 = 2.228;

/** Value at one time. */
export interface TimedValue {
  /** Time in any unit. */
  readonly at: number;
  readonly value: number;
}

/** Linear trend of a value. */
export interface Trend {
  /** Slope of the best-fitting straight line, per unit of time. */
  readonly slope: number;
  /** Half of the 95 % confidence interval of the slope. */
  readonly error: number;
}

/**
 * Fits a straight line by least squares to the means of twelve spans. Neighbouring readings of a
 * process's memory are correlated, and fitting them directly would understate the error.
 * @returns NaN with fewer values than spans
 */
export function trendOf(values: readonly TimedValue[]): Trend {
  if (values.length < BLOCKS) return { slope: Number.NaN, error: Number.NaN };
  const points = Array.from({ length: BLOCKS }, (_, block) => {
    const [from, to] = [block, block + 1].map((edge) =>
      Math.floor((edge * values.length) / BLOCKS),
    );
    const span = values.slice(from, to);
    return { x: mean(span.map(({ at }) => at)), y: mean(span.map(({ value }) => value)) };
  });
  const [meanX, meanY] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const spread = sum(points.map(({ x }) => (x - meanX) ** 2));
  const slope = sum(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
  const residuals = points.map(({ x, y }) => y - meanY - slope * (x - meanX));
  const variance = sum(residuals.map((residual) => residual ** 2)) / (BLOCKS - 2);
  return { slope, error: T_95 * Math.sqrt(variance / spread) };
}
