/** The share of requests within the limits that a rate must have to count as served well. */
export const TARGET_ATTAINMENT = 0.9;
/** Below it a server is so far beyond its capacity that the next rates tell nothing new. */
const HOPELESS_ATTAINMENT = 0.5;

/** From hardly any waiting to requests that pile up. */
const multiplesOfCapacity = [0.15, 0.3, 0.45, 0.6, 0.8, 1, 1.4] as const;

/** How many of the requests were within the limits at one rate. */
export interface AttainmentPoint {
  /** Requests per second. */
  readonly rate: number;
  readonly attainment: number;
}

/** The rates of a sweep in requests per second, ascending, with three significant digits. */
export function ratesOf(capacity: number): number[] {
  return multiplesOfCapacity.map((multiple) => Number((multiple * capacity).toPrecision(3)));
}

/**
 * Whether a sweep measures its next rate. After a hopeless one it goes on with the highest, where
 * the sides are compared beyond their capacity.
 * @param looseAttainment of the rate before; absent at the first.
 */
export function isMeasured(
  rate: number,
  rates: readonly number[],
  looseAttainment: number | undefined,
): boolean {
  return rate === rates.at(-1) || (looseAttainment ?? 1) >= HOPELESS_ATTAINMENT;
}

/**
 * The goodput in requests per second: the highest rate at which 90 % of the requests are within the
 * limits (Zhong et al., "DistServe", OSDI 2024), interpolated linearly between two rates. 0 when
 * there is no such rate; the highest rate, which is a lower bound, when it is one.
 * @param points in ascending order of their rates.
 */
export function goodputOf(points: readonly AttainmentPoint[]): number {
  const lastGood = points.findLastIndex(({ attainment }) => attainment >= TARGET_ATTAINMENT);
  const [from, to] = [points[lastGood], points[lastGood + 1]];
  if (from === undefined) return 0;
  if (to === undefined) return from.rate;
  const share = (from.attainment - TARGET_ATTAINMENT) / (from.attainment - to.attainment);
  return from.rate + share * (to.rate - from.rate);
}
