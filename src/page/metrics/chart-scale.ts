/** Upper ends of scales, as multiples of powers of ten; the middle of each has few digits, too. */
const STEPS = [1, 2, 4, 10];

/**
 * Chooses the upper end of a scale that starts at 0.
 * @param maximum the largest value; `undefined`: there is none
 * @param leastMaximum minimum of the upper end
 */
export function chooseTop(maximum: number | undefined, leastMaximum: number): number {
  const least = Math.max(maximum ?? 0, leastMaximum);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = STEPS.find((one) => one * power >= least) ?? 10;
  // Powers below 1 are inexact: 4 × 0.001.
  return Number((step * power).toPrecision(2));
}
