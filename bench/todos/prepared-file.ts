/**
 * Builds the content of a to-do file with `count` items, in the oldest format, which all versions
 * and the baselines can read: ids from 1, every third item completed.
 */
export function preparedFile(count: number): string {
  const items = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: titleOf(index + 1),
    completed: index % 3 === 0,
  }));
  return `${JSON.stringify({ version: 1, nextId: count + 1, items })}\n`;
}

/** Returns a title of 40 characters; titles of consecutive ids are far apart in sort order. */
export function titleOf(id: number): string {
  // Knuth's multiplicative hash: the same titles in every run, in pseudo-random order.
  const hash = Math.imul(id, 2_654_435_761) >>> 0;
  return `${hash.toString(36).padStart(7, "0")} buy milk and call the plumber`.padEnd(40, ".");
}
