import { createRefusal, GgufdError } from "../core/errors.js";
import type { TodoCollection } from "./collection/todo-collection.js";
import type { Creation, IdempotencyKey, NewTodo, Precondition, Todo, TodoChange } from "./todo.js";

/**
 * One below the largest safe integer, because the file's `nextId` is above every assigned id and
 * must be exact too.
 */
export const MAX_TODO_ID = Number.MAX_SAFE_INTEGER - 1;

/*
 * Changes to a draft. A refused change throws and leaves the draft unmodified.
 */

export interface NewTodoRequest {
  readonly todo: NewTodo;
  readonly idempotency: IdempotencyKey | undefined;
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
}

export interface TodoChangeRequest {
  readonly id: number;
  readonly change: TodoChange;
  readonly precondition: Precondition | undefined;
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
}

export type TodoRemoval = Pick<TodoChangeRequest, "id" | "precondition">;

/**
 * Adds an item, or returns the one that the idempotency key created earlier. `createdAt` is never
 * before that of the newest item, even if the clock moves backwards.
 * @throws {GgufdError} `idempotency_key_reused`; `storage_full` when no id is left
 */
export function createTodo(
  draft: TodoCollection,
  { todo: { title, completed }, idempotency, now }: NewTodoRequest,
): Creation {
  const existing = idempotency && draft.idempotency.find(idempotency, now);
  if (existing !== undefined) {
    if (existing.fingerprint === idempotency?.fingerprint) {
      return { todo: existing.todo, origin: "replayed" };
    }
    const reason = "expected a new key for another request, got one that was used before";
    throw createRefusal("idempotency_key_reused", [{ field: "idempotency-key", reason }]);
  }
  if (draft.nextId > MAX_TODO_ID) {
    throw new GgufdError(
      "storage_full",
      `The change could not be stored: every id up to ${MAX_TODO_ID} has been assigned.`,
    );
  }
  const newest = draft.newest();
  const createdAt = createTimestamp(now, newest === undefined ? now : Date.parse(newest.createdAt));
  const todo = { id: draft.nextId, title, completed, createdAt, updatedAt: createdAt };
  draft.add(todo);
  if (idempotency !== undefined) {
    draft.idempotency.add({ ...idempotency, todo, createdAtMs: now });
  }
  return { todo, origin: "created" };
}

/**
 * Sets fields of an item. Every change advances `updatedAt` by at least one millisecond, even if
 * the values stay the same or the clock moves backwards, so no two states of an item are equal.
 * @throws {GgufdError} `not_found`, or the precondition's error
 */
export function changeTodo(
  draft: TodoCollection,
  { id, change, precondition, now }: TodoChangeRequest,
): Todo {
  const current = locate(draft, id);
  precondition?.(current);
  const { title = current.title, completed = current.completed } = change;
  const updatedAt = createTimestamp(now, Date.parse(current.updatedAt) + 1);
  const todo = { id, title, completed, createdAt: current.createdAt, updatedAt };
  draft.replace(todo);
  return todo;
}

/** @throws {GgufdError} `not_found`, or the precondition's error */
export function removeTodo(draft: TodoCollection, { id, precondition }: TodoRemoval): void {
  const current = locate(draft, id);
  precondition?.(current);
  draft.remove(current);
}

/** @throws {GgufdError} `not_found` */
export function locate(todos: TodoCollection, id: number): Todo {
  const todo = todos.find(id);
  if (todo === undefined) throw new GgufdError("not_found", `No todo has the id ${id}.`);
  return todo;
}

/** RFC 3339 in UTC with milliseconds, not before `earliest`. */
function createTimestamp(now: number, earliest: number): string {
  return new Date(Math.max(now, earliest)).toISOString();
}
