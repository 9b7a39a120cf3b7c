/**
 * Updates an exponential moving average; the first value is its own average.
 * @param weight weight of the latest value, 0 to 1
 */
export function updateAverage(average: number | undefined, latest: number, weight: number): number {
  return average === undefined ? latest : average + weight * (latest - average);
}
