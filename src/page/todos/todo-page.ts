import type { WireTodo, WireTodoList } from "../../api/todos/v1/schema.js";

/** Filters of the items to show. */
export const filters = ["all", "open", "done"] as const;

export type Filter = (typeof filters)[number];

/** An item as known to the page. */
export interface KnownTodo extends WireTodo {
  /** Entity tag of this state; absent: the item came with a list, which has no tags of items. */
  readonly etag?: string | undefined;
}

/** The part of the list read so far, newest item first. */
export interface TodoPage {
  readonly items: readonly KnownTodo[];
  /** Cursor of the next page; `null`: there is none. */
  readonly nextCursor: string | null;
}

const PAGE_SIZE = 50;

/** Returns the path of a page of the list. @param cursor absent: the first page */
export function buildPagePath(filter: Filter, cursor?: string): string {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE), sort: "-id" });
  if (filter !== "all") query.set("completed", String(filter === "done"));
  if (cursor !== undefined) query.set("cursor", cursor);
  return `/v1/todos?${query}`;
}

/** Whether a filter shows an item. */
export function isShown({ completed }: WireTodo, filter: Filter): boolean {
  return filter === "all" || completed === (filter === "done");
}

/**
 * Appends the next page. An item that is already there has moved between pages and is shown once.
 */
export function withNextPage(
  { items }: TodoPage,
  { data, pagination: { next_cursor: nextCursor } }: WireTodoList,
): TodoPage {
  const known = new Set(items.map(({ id }) => id));
  return { items: [...items, ...data.filter(({ id }) => !known.has(id))], nextCursor };
}

/**
 * Returns the page with an updated item: in its position, at the top if it is new, or removed if
 * the filter hides it.
 */
export function withTodo(page: TodoPage, todo: KnownTodo, filter: Filter): TodoPage {
  if (!isShown(todo, filter)) return withoutTodo(page, todo.id);
  const isListed = page.items.some(({ id }) => id === todo.id);
  return {
    ...page,
    items: isListed
      ? page.items.map((one) => (one.id === todo.id ? todo : one))
      : [todo, ...page.items],
  };
}

export function withoutTodo(page: TodoPage, id: number): TodoPage {
  return { ...page, items: page.items.filter((one) => one.id !== id) };
}

/** Returns the item next to a removed one: the following item, else the preceding one. */
export function neighbourOf({ items }: TodoPage, id: number): number | undefined {
  const index = items.findIndex((one) => one.id === id);
  return index === -1 ? undefined : (items[index + 1] ?? items[index - 1])?.id;
}

/** Whether an item is unchanged since it was read. */
export function isUnchanged(before: WireTodo, now: WireTodo): boolean {
  return (
    before.title === now.title &&
    before.completed === now.completed &&
    before.updated_at === now.updated_at
  );
}
