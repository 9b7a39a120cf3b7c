/** Returns the known name with the smallest edit distance, for suggestions. */
export function findNearest(name: string, known: readonly string[]): string {
  const byDistance = known.toSorted(
    (one, other) => editDistance(name, one) - editDistance(name, other),
  );
  return byDistance[0] ?? "";
}

/** Largest edit distance of a similar name, as for Commander's flags. */
const MAX_DISTANCE = 3;
/** Share of the letters that a similar name must have in common. */
const MIN_SIMILARITY = 0.4;
/** Longer names are not compared: the distance takes the product of both lengths. */
const MAX_LETTERS = 200;

/**
 * Returns the nearest known name, ignoring case, if it is so similar that the given one is probably
 * a misspelling of it. Of several at the same distance, the first one is returned.
 */
export function findSimilar(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LETTERS) return undefined;
  const lower = name.toLowerCase();
  let [similar, shortest]: [string | undefined, number] = [undefined, MAX_DISTANCE + 1];
  for (const candidate of known) {
    const longest = Math.max(name.length, candidate.length);
    if (Math.abs(name.length - candidate.length) >= shortest) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance >= shortest || (longest - distance) / longest <= MIN_SIMILARITY) continue;
    [similar, shortest] = [candidate, distance];
  }
  return similar;
}

/**
 * Damerau–Levenshtein distance (optimal string alignment): the number of characters to insert,
 * delete or replace, or of neighbours to swap.
 */
function editDistance(one: string, other: string): number {
  const [letters, others] = [[...one], [...other]];
  let above: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: others.length + 1 }, (_, index) => index);
  for (const [index, letter] of letters.entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of others.entries()) {
      const isSwapped =
        index > 0 &&
        column > 0 &&
        letter === others[column - 1] &&
        letters[index - 1] === otherLetter;
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === otherLetter ? 0 : 1),
          isSwapped ? (above[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [above, row] = [row, next];
  }
  return row[others.length] ?? 0;
}
