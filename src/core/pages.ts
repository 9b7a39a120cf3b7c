export interface PageQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** Id of the last entry of the previous page. */
  readonly after?: string | undefined;
  /** Id of the first entry of the next page; with it, the page ends before this entry. */
  readonly before?: string | undefined;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

/**
 * Returns a page of a list.
 * @param oldestFirst the complete list
 * @returns `undefined` if `after` or `before` is no entry of the list
 */
export function toPage<Entry extends { readonly id: string }>(
  oldestFirst: readonly Entry[],
  { limit, order, after, before }: PageQuery,
): Page<Entry> | undefined {
  const ordered = order === "asc" ? oldestFirst : oldestFirst.toReversed();
  if (before !== undefined) {
    const end = ordered.findIndex(({ id }) => id === before);
    if (end < 0) return undefined;
    const start = Math.max(0, end - limit);
    return { entries: ordered.slice(start, end), hasMore: start > 0 };
  }
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) return undefined;
  return {
    entries: ordered.slice(start, start + limit),
    hasMore: start + limit < ordered.length,
  };
}
