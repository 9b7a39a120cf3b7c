/** Share of requests within the limits at which a rate counts as served well. */
export const TARGET_ATTAINMENT = 0.9;
/**
 * Share below which a server is so far beyond its capacity that higher rates add no information.
 */
const HOPELESS_ATTAINMENT = 0.5;

/** Rates relative to the capacity, from hardly any queueing to a growing queue. */
const multiplesOfCapacity = [0.15, 0.3, 0.45, 0.6, 0.8, 1, 1.4] as const;

/** Share of requests within the limits at one rate. */
export interface AttainmentPoint {
  /** Requests per second. */
  readonly rate: number;
  readonly attainment: number;
}

/** Rates of a sweep in requests per second, ascending, with three significant digits. */
export function ratesOf(capacity: number): number[] {
  return multiplesOfCapacity.map((multiple) => Number((multiple * capacity).toPrecision(3)));
}

/**
 * Whether a sweep measures its next rate. After a hopeless rate it skips to the highest one, where
 * the sides are compared beyond their capacity.
 * @param looseAttainment of the previous rate; absent at the first
 */
export function isMeasured(
  rate: number,
  rates: readonly number[],
  looseAttainment: number | undefined,
): boolean {
  return rate === rates.at(-1) || (looseAttainment ?? 1) >= HOPELESS_ATTAINMENT;
}

/**
 * Goodput in requests per second: the highest rate at which 90 % of the requests are within the
 * limits (Zhong et al., "DistServe", OSDI 2024), interpolated linearly between two rates. 0 if no
 * rate qualifies; the highest rate, as a lower bound, if that one qualifies.
 * @param points in ascending order of rates
 */
export function goodputOf(points: readonly AttainmentPoint[]): number {
  const lastGood = points.findLastIndex(({ attainment }) => attainment >= TARGET_ATTAINMENT);
  const [from, to] = [points[lastGood], points[lastGood + 1]];
  if (from === undefined) return 0;
  if (to === undefined) return from.rate;
  const share = (from.attainment - TARGET_ATTAINMENT) / (from.attainment - to.attainment);
  return from.rate + share * (to.rate - from.rate);
}
