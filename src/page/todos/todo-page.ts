import type { WireTodo, WireTodoList } from "../../api/todos/v1/schema.js";

/** Which items are shown. */
export const filters = ["all", "open", "done"] as const;

export type Filter = (typeof filters)[number];

/** An item as the page knows it. */
export interface KnownTodo extends WireTodo {
  /** Of this state of it; absent: it came with a list, which has none for each item. */
  readonly etag?: string | undefined;
}

/** As much of a list as has been asked for, the newest item first. */
export interface TodoPage {
  readonly items: readonly KnownTodo[];
  /** Of what comes after it; `null`: that is all. */
  readonly nextCursor: string | null;
}

const PAGE_SIZE = 50;

/** Where a page of the list is. @param cursor absent: the first one */
export function pathOfPage(filter: Filter, cursor?: string): string {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE), sort: "-id" });
  if (filter !== "all") query.set("completed", String(filter === "done"));
  if (cursor !== undefined) query.set("cursor", cursor);
  return `/v1/todos?${query}`;
}

/** Whether a filter shows an item. */
export function isShown({ completed }: WireTodo, filter: Filter): boolean {
  return filter === "all" || completed === (filter === "done");
}

/** What follows, added to what is there. An item that is there already is one that has moved, and is shown once. */
export function withNextPage(
  { items }: TodoPage,
  { data, pagination: { next_cursor: nextCursor } }: WireTodoList,
): TodoPage {
  const known = new Set(items.map(({ id }) => id));
  return { items: [...items, ...data.filter(({ id }) => !known.has(id))], nextCursor };
}

/** The page with an item as it is now: in its place, above all if it is new, or nowhere if the filter hides it. */
export function withTodo(page: TodoPage, todo: KnownTodo, filter: Filter): TodoPage {
  if (!isShown(todo, filter)) return withoutTodo(page, todo.id);
  const isThere = page.items.some(({ id }) => id === todo.id);
  return {
    ...page,
    items: isThere
      ? page.items.map((one) => (one.id === todo.id ? todo : one))
      : [todo, ...page.items],
  };
}

export function withoutTodo(page: TodoPage, id: number): TodoPage {
  return { ...page, items: page.items.filter((one) => one.id !== id) };
}

/** The item that takes the place of one that goes: the next one, or else the one before. */
export function neighbourOf({ items }: TodoPage, id: number): number | undefined {
  const index = items.findIndex((one) => one.id === id);
  return index === -1 ? undefined : (items[index + 1] ?? items[index - 1])?.id;
}

/** Whether nobody has changed an item since it was read. */
export function isUnchanged(before: WireTodo, now: WireTodo): boolean {
  return (
    before.title === now.title &&
    before.completed === now.completed &&
    before.updated_at === now.updated_at
  );
}
