/**
 * Returns the length of the longest common prefix of two token lists.
 * @param known length up to which they are known to agree
 */
export function commonPrefixLength(a: readonly number[], b: readonly number[], known = 0): number {
  const limit = Math.min(a.length, b.length);
  let length = known;
  while (length < limit && a[length] === b[length]) length++;
  return length;
}

/** Whether two token lists are equal. */
export function areEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && commonPrefixLength(a, b) === a.length;
}
