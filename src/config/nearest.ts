/** Returns the known name with the smallest edit distance, for suggestions. */
export function findNearest(name: string, known: readonly string[]): string {
  const byDistance = known.toSorted((a, b) => distance(name, a) - distance(name, b));
  return byDistance[0] ?? "";
}

/** Levenshtein distance: the number of characters to insert, delete or replace. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === otherLetter ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
