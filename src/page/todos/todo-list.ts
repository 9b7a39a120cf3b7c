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
const chosenFilter = signal<Filter>("all");
/** Page of the list that is being read; `undefined`: none. */
const pageInProgress = signal<"first-page" | "next-page" | undefined>(undefined);
const listError = signal<{ readonly reason: string; readonly tryAgain: () => void } | undefined>(
  undefined,
);

/** Notice of another user's change to an item that is no longer shown. */
const changeNotice = signal<string | undefined>(undefined);

export const todoPage = computed(() => page.value);
export const filter = computed(() => chosenFilter.value);
export const todoPageInProgress = computed(() => pageInProgress.value);
export const todoListError = computed(() => listError.value);
export const todoNotice = computed(() => changeNotice.value);

let activeRead: AbortController | undefined;

/** Reads the list from its beginning. */
export function readTodos(): Promise<void> {
  return read("first-page", async (signal) => {
    const first = await readPage(chosenFilter.peek(), { signal });
    return withNextPage(EMPTY, first);
  });
}

/** Reads the next page. */
export async function readMoreTodos(): Promise<void> {
  const { nextCursor: cursor } = page.peek();
  if (cursor === null) return;
  await read("next-page", async (signal) => {
    const next = await readPage(chosenFilter.peek(), { cursor, signal });
    return withNextPage(page.peek(), next);
  });
}

/** Changes the filter. */
export function showOnly(filter: Filter): Promise<void> {
  chosenFilter.value = filter;
  page.value = EMPTY;
  return readTodos();
}

/** Updates an item in the list. */
export function showTodo(todo: KnownTodo): void {
  page.value = withTodo(page.peek(), todo, chosenFilter.peek());
}

export function hideTodo(id: number): void {
  page.value = withoutTodo(page.peek(), id);
}

/**
 * Shows a notice of another user's change.
 * @param text a sentence; `undefined`: removes the notice
 */
export function showNotice(text: string | undefined): void {
  changeNotice.value = text;
  if (text !== undefined) announce(text);
}

/** Reads a page. Of overlapping reads, only the later one counts. */
async function read(
  target: "first-page" | "next-page",
  fetchPage: (signal: AbortSignal) => Promise<TodoPage>,
): Promise<void> {
  activeRead?.abort();
  const controller = new AbortController();
  activeRead = controller;
  pageInProgress.value = target;
  changeNotice.value = undefined;
  listError.value = undefined;
  try {
    const next = await fetchPage(controller.signal);
    if (!controller.signal.aborted) page.value = next;
  } catch (error) {
    if (controller.signal.aborted) return;
    const tryAgain = target === "first-page" ? readTodos : readMoreTodos;
    listError.value = { reason: messageOf(error), tryAgain: () => void tryAgain() };
  } finally {
    if (activeRead === controller) pageInProgress.value = undefined;
  }
}
