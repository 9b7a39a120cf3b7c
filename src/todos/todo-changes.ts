import { GgufdError } from "../core/errors.js";
import type { NewTodo, Todo } from "./todo.js";
import type { StoredTodo, TodoFile } from "./todo-file.js";

/**
 * A copy on which the functions below may work: the file that it was made from stays as it is.
 * Items are shared between the two, so that a change replaces an item and never writes into it.
 */
export function draftOf(file: TodoFile): TodoFile {
  return { ...file, items: [...file.items] };
}

/** An item without the fields that only the file knows. */
export function toTodo({ id, title, completed }: StoredTodo): Todo {
  return { id, title, completed };
}

export function addTodo(draft: TodoFile, { title, completed }: NewTodo): Todo {
  const todo = { id: draft.nextId, title, completed };
  draft.nextId += 1;
  draft.items.push(todo);
  return toTodo(todo);
}

/** @throws {GgufdError} `not_found`; the draft is then unchanged */
export function setTodoCompleted(draft: TodoFile, id: number, completed: boolean): void {
  const [index, todo] = locate(draft, id);
  draft.items[index] = { ...todo, completed };
}

/** @throws {GgufdError} `not_found`; the draft is then unchanged */
export function removeTodo(draft: TodoFile, id: number): void {
  const [index] = locate(draft, id);
  draft.items.splice(index, 1);
}

function locate(draft: TodoFile, id: number): [index: number, todo: StoredTodo] {
  const index = draft.items.findIndex((todo) => todo.id === id);
  const todo = draft.items[index];
  if (todo === undefined) throw new GgufdError("not_found", `No todo has the id ${id}.`);
  return [index, todo];
}
