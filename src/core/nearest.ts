/** Returns the known name with the smallest edit distance, for suggestions. */
export function findNearest(name: string, known: readonly string[]): string {
  const sortedNames = known.toSorted(
    (one, other) => computeEditDistance(name, one) - computeEditDistance(name, other),
  );
  return sortedNames[0] ?? "";
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
    const distance = computeEditDistance(lower, candidate.toLowerCase());
    if (distance >= shortest || (longest - distance) / longest <= MIN_SIMILARITY) continue;
    [similar, shortest] = [candidate, distance];
  }
  return similar;
}

/**
 * Damerau–Levenshtein distance (optimal string alignment): the number of characters to insert,
 * delete or replace, or of neighbours to swap.
 */
function computeEditDistance(one: string, other: string): number {
  const [letters, otherLetters] = [[...one], [...other]];
  let previousRow: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: otherLetters.length + 1 }, (_, index) => index);
  for (const [index, letter] of letters.entries()) {
    const nextRow = [index + 1];
    for (const [column, otherLetter] of otherLetters.entries()) {
      const isSwapped =
        index > 0 &&
        column > 0 &&
        letter === otherLetters[column - 1] &&
        letters[index - 1] === otherLetter;
      nextRow.push(
        Math.min(
          (nextRow[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === otherLetter ? 0 : 1),
          isSwapped ? (previousRow[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [previousRow, row] = [row, nextRow];
  }
  return row[otherLetters.length] ?? 0;
}
