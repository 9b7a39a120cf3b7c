/** Ids are below this, so that two of them make one exact number. */
const ID_RANGE = 2 ** 26;

/** A number for each pair of ids, in this order. */
export function pairKey(first: number, second: number): number {
  return first * ID_RANGE + second;
}
