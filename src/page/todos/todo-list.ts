import { computed, signal } from "@preact/signals";
import { messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import {
  type Filter,
  type KnownTodo,
  type TodoPage,
  withNextPage,
  withoutTodo,
  withTodo,
} from "./todo-page.js";
import { readPage } from "./todo-requests.js";

const EMPTY: TodoPage = { items: [], nextCursor: null };

const page = signal<TodoPage>(EMPTY);
const chosen = signal<Filter>("all");
/** Page of the list that is being read; `undefined`: none. */
const reading = signal<"first-page" | "next-page" | undefined>(undefined);
const trouble = signal<{ readonly reason: string; readonly tryAgain: () => void } | undefined>(
  undefined,
);

/** Notice of another user's change to an item that is no longer shown. */
const news = signal<string | undefined>(undefined);

export const todoPage = computed(() => page.value);
export const filter = computed(() => chosen.value);
export const readingTodos = computed(() => reading.value);
export const todoListError = computed(() => trouble.value);
export const todoNews = computed(() => news.value);

let current: AbortController | undefined;

/** Reads the list from its beginning. */
export function readTodos(): Promise<void> {
  return read("first-page", async (signal) => {
    const first = await readPage(chosen.peek(), { signal });
    return withNextPage(EMPTY, first);
  });
}

/** Reads the next page. */
export async function readMoreTodos(): Promise<void> {
  const { nextCursor: cursor } = page.peek();
  if (cursor === null) return;
  await read("next-page", async (signal) => {
    const next = await readPage(chosen.peek(), { cursor, signal });
    return withNextPage(page.peek(), next);
  });
}

/** Changes the filter. */
export function showOnly(filter: Filter): Promise<void> {
  chosen.value = filter;
  page.value = EMPTY;
  return readTodos();
}

/** Updates an item in the list. */
export function showTodo(todo: KnownTodo): void {
  page.value = withTodo(page.peek(), todo, chosen.peek());
}

export function hideTodo(id: number): void {
  page.value = withoutTodo(page.peek(), id);
}

/**
 * Shows a notice of another user's change.
 * @param text a sentence; `undefined`: removes the notice
 */
export function showNews(text: string | undefined): void {
  news.value = text;
  if (text !== undefined) announce(text);
}

/** Reads a page. Of overlapping reads, only the later one counts. */
async function read(
  what: "first-page" | "next-page",
  ask: (signal: AbortSignal) => Promise<TodoPage>,
): Promise<void> {
  current?.abort();
  const mine = new AbortController();
  current = mine;
  reading.value = what;
  news.value = undefined;
  trouble.value = undefined;
  try {
    const next = await ask(mine.signal);
    if (!mine.signal.aborted) page.value = next;
  } catch (error) {
    if (mine.signal.aborted) return;
    const tryAgain = what === "first-page" ? readTodos : readMoreTodos;
    trouble.value = { reason: messageOf(error), tryAgain: () => void tryAgain() };
  } finally {
    if (current === mine) reading.value = undefined;
  }
}
