import type { Random } from "../../models/random/random-choices.js";

/**
 * Arrival times of a Poisson process with one arrival per second: sums of exponential gaps. They are
 * scaled so that the last of `count` is at `count` seconds, as in vLLM's benchmark, because the mean
 * of 100 gaps varies by a tenth. Divided by a rate they are arrivals at that rate.
 * @returns seconds, ascending.
 */
export function poissonArrivals(count: number, random: Random): number[] {
  let timeSeconds = 0;
  const times = Array.from({ length: count }, () => {
    timeSeconds -= Math.log(1 - random.next());
    return timeSeconds;
  });
  return times.map((time) => (time / timeSeconds) * count);
}
