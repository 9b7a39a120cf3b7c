/** Weight of the latest value. */
const LATEST = 0.2;

/** The average so far, moved towards the latest value; the first value is its own average. */
export function runningAverage(known: number | undefined, latest: number): number {
  return known === undefined ? latest : known + LATEST * (latest - known);
}
