/**
 * Returns the length of the longest common prefix of two token lists.
 * @param knownLength length up to which they are known to agree
 */
export function measureCommonPrefix(
  a: readonly number[],
  b: readonly number[],
  knownLength = 0,
): number {
  const limit = Math.min(a.length, b.length);
  let length = knownLength;
  while (length < limit && a[length] === b[length]) length++;
  return length;
}

/** Whether two token lists are equal. */
export function areEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && measureCommonPrefix(a, b) === a.length;
}
