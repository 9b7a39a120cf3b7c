import type { WireTodo, WireTodoList } from "../../api/todos/v1/schema.js";
import { ApiError } from "../api/api-error.js";
import { client } from "../session.js";
import { buildPagePath, type Filter, isUnchanged, type KnownTodo } from "./todo-page.js";

/** Fields of an item that a user changes. */
export interface TodoChange {
  readonly title?: string;
  readonly completed?: boolean;
}

/** Outcome of a change. */
export type ChangeOutcome =
  | { readonly type: "changed"; readonly todo: KnownTodo }
  /** The item was changed by another client first; this change was not applied. */
  | { readonly type: "overtaken"; readonly todo: KnownTodo }
  /** The item was deleted by another client. */
  | { readonly type: "gone" };

/** Outcome of a deletion. */
export type DeletionOutcome = Exclude<ChangeOutcome, { readonly type: "changed" }>;

/** @throws {ApiError} */
export function readPage(
  filter: Filter,
  { cursor, signal }: { readonly cursor?: string; readonly signal: AbortSignal },
): Promise<WireTodoList> {
  return client.json<WireTodoList>(buildPagePath(filter, cursor), { signal });
}

/**
 * Creates an idempotency key. `crypto.randomUUID` is unavailable on pages served over plain HTTP.
 */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param key the same for each attempt of one creation, because a response may be lost
 * @throws {ApiError}
 */
export function createTodo(title: string, key: string): Promise<KnownTodo> {
  return withTag((onAnswer) =>
    client.json<WireTodo>("/v1/todos", {
      method: "POST",
      body: { title },
      headers: { "idempotency-key": key },
      onAnswer,
    }),
  );
}

/** Changes an item, unless it has changed since the user saw it. @throws {ApiError} */
export function changeTodo(todo: KnownTodo, change: TodoChange): Promise<ChangeOutcome> {
  return applyUnlessChanged<ChangeOutcome>(todo, async (etag) => ({
    type: "changed",
    todo: await withTag((onAnswer) =>
      client.json<WireTodo>(pathOf(todo), {
        method: "PATCH",
        body: change,
        headers: { "if-match": etag },
        onAnswer,
      }),
    ),
  }));
}

/** Deletes an item, unless it has changed since the user saw it. @throws {ApiError} */
export function deleteTodo(todo: KnownTodo): Promise<DeletionOutcome> {
  return applyUnlessChanged<DeletionOutcome>(todo, async (etag) => {
    await client.json(pathOf(todo), { method: "DELETE", headers: { "if-match": etag } });
    return { type: "gone" };
  });
}

/** @param request makes the request with the entity tag of the state that the user saw */
async function applyUnlessChanged<Outcome>(
  todo: KnownTodo,
  request: (etag: string) => Promise<Outcome>,
): Promise<Outcome | DeletionOutcome> {
  try {
    const latestTodo = todo.etag === undefined ? await readTodo(todo) : todo;
    if (!isUnchanged(todo, latestTodo)) return { type: "overtaken", todo: latestTodo };
    return await request(latestTodo.etag ?? "*");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return { type: "gone" };
    if (error.code !== "ETAG_MISMATCH") throw error;
    return readOvertaken(todo);
  }
}

async function readOvertaken(todo: KnownTodo): Promise<DeletionOutcome> {
  try {
    return { type: "overtaken", todo: await readTodo(todo) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { type: "gone" };
    throw error;
  }
}

function readTodo(todo: KnownTodo): Promise<KnownTodo> {
  return withTag((onAnswer) => client.json<WireTodo>(pathOf(todo), { onAnswer }));
}

async function withTag(
  request: (onAnswer: (headers: Headers) => void) => Promise<WireTodo>,
): Promise<KnownTodo> {
  let etag: string | undefined;
  const todo = await request((headers) => {
    etag = headers.get("etag") ?? undefined;
  });
  return { ...todo, etag };
}

function pathOf({ id }: KnownTodo): string {
  return `/v1/todos/${id}`;
}
