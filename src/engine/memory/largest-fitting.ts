/**
 * The largest number of a range that fits, of something that fits the less the larger it is.
 * @param min is returned if nothing larger fits; it need not fit itself
 * @param max is tried first: often all of it fits
 */
export async function largestFitting(
  { min, max }: { readonly min: number; readonly max: number },
  fits: (count: number) => Promise<boolean>,
): Promise<number> {
  if (await fits(max)) return max;
  let [low, high] = [min, max];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
