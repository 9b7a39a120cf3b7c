import type { WireTodo, WireTodoList } from "../../api/todos/v1/schema.js";
import { ApiError } from "../api/api-error.js";
import { client } from "../session.js";
import { type Filter, isUnchanged, type KnownTodo, pathOfPage } from "./todo-page.js";

/** What a user changes of an item. */
export interface TodoChange {
  readonly title?: string;
  readonly completed?: boolean;
}

/** What has become of a change. */
export type ChangeOutcome =
  | { readonly type: "changed"; readonly todo: KnownTodo }
  /** Somebody else has changed it before: it is left as it is now. */
  | { readonly type: "overtaken"; readonly todo: KnownTodo }
  /** Somebody else has deleted it. */
  | { readonly type: "gone" };

/** What has become of a deletion. */
export type DeletionOutcome = Exclude<ChangeOutcome, { readonly type: "changed" }>;

/** @throws {ApiError} */
export function readPage(
  filter: Filter,
  { cursor, signal }: { readonly cursor?: string; readonly signal: AbortSignal },
): Promise<WireTodoList> {
  return client.json<WireTodoList>(pathOfPage(filter, cursor), { signal });
}

/** A name for one creation. Without `crypto.randomUUID`, which browsers keep from pages of plain HTTP. */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param key the same for each attempt of one creation, of which an answer may have been lost
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

/** Changes an item, if it still is what the user has seen. @throws {ApiError} */
export function changeTodo(todo: KnownTodo, change: TodoChange): Promise<ChangeOutcome> {
  return unlessOvertaken<ChangeOutcome>(todo, async (etag) => ({
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

/** Deletes an item, if it still is what the user has seen. @throws {ApiError} */
export function deleteTodo(todo: KnownTodo): Promise<DeletionOutcome> {
  return unlessOvertaken<DeletionOutcome>(todo, async (etag) => {
    await client.json(pathOf(todo), { method: "DELETE", headers: { "if-match": etag } });
    return { type: "gone" };
  });
}

/** @param request does it with the entity tag of what the user has seen */
async function unlessOvertaken<Outcome>(
  todo: KnownTodo,
  request: (etag: string) => Promise<Outcome>,
): Promise<Outcome | DeletionOutcome> {
  try {
    const seen = todo.etag === undefined ? await readTodo(todo) : todo;
    if (!isUnchanged(todo, seen)) return { type: "overtaken", todo: seen };
    return await request(seen.etag ?? "*");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return { type: "gone" };
    if (error.code !== "ETAG_MISMATCH") throw error;
    return unlessGone(todo);
  }
}

async function unlessGone(todo: KnownTodo): Promise<DeletionOutcome> {
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
