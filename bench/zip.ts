/** Pairs the values at the same index of two lists of equal length. */
export function zip<First, Second>(
  first: readonly First[],
  second: readonly Second[],
): (readonly [First, Second])[] {
  return first.flatMap((value, index) => {
    const other = second[index];
    return other === undefined ? [] : [[value, other] as const];
  });
}
