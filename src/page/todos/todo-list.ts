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
/** Whether the list is being read, and why it could not be. */
const reading = signal<"first-page" | "next-page" | undefined>(undefined);
const trouble = signal<{ readonly reason: string; readonly tryAgain: () => void } | undefined>(
  undefined,
);

/** What somebody else has done with an item that is not shown any more. */
const news = signal<string | undefined>(undefined);

export const todoPage = computed(() => page.value);
export const filter = computed(() => chosen.value);
export const readingTodos = computed(() => reading.value);
export const todoTrouble = computed(() => trouble.value);
export const todoNews = computed(() => news.value);

let current: AbortController | undefined;

/** Reads the list from its beginning. */
export function readTodos(): Promise<void> {
  return read("first-page", async (signal) => {
    const first = await readPage(chosen.peek(), { signal });
    return withNextPage(EMPTY, first);
  });
}

/** Reads what follows. */
export async function readMoreTodos(): Promise<void> {
  const { nextCursor: cursor } = page.peek();
  if (cursor === null) return;
  await read("next-page", async (signal) => {
    const next = await readPage(chosen.peek(), { cursor, signal });
    return withNextPage(page.peek(), next);
  });
}

/** Shows other items. */
export function showOnly(filter: Filter): Promise<void> {
  chosen.value = filter;
  page.value = EMPTY;
  return readTodos();
}

/** Shows an item as it is now. */
export function showTodo(todo: KnownTodo): void {
  page.value = withTodo(page.peek(), todo, chosen.peek());
}

export function hideTodo(id: number): void {
  page.value = withoutTodo(page.peek(), id);
}

/** Says what somebody else has done. @param text a sentence; `undefined`: no more of it */
export function tell(text: string | undefined): void {
  news.value = text;
  if (text !== undefined) announce(text);
}

/** Of two that overlap, the later one counts. */
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
