import type { Todo, TodoPage, TodoQuery } from "../../../todos/todo.js";
import { entityTagOf } from "../../../validation/entity-tag.js";
import { paginationOf } from "../../../validation/pagination.js";
import { toCursor } from "./list-query.js";
import type { WireTodo, WireTodoList } from "./schema.js";

/** An answer's body, and the tag that names exactly it. */
export interface PrintedAnswer {
  readonly body: string;
  readonly etag: string;
}

/** An item: the same bytes from every route that shows it. */
export function printTodo(todo: Todo): PrintedAnswer {
  return print(toWireTodo(todo));
}

/** A page of the list that a query asks for. */
export function printPage({ items, next }: TodoPage, query: TodoQuery): PrintedAnswer {
  const list: WireTodoList = {
    data: items.map(toWireTodo),
    pagination: paginationOf(next && toCursor(next, query)),
  };
  return print(list);
}

function print(answer: object): PrintedAnswer {
  const body = JSON.stringify(answer);
  return { body, etag: entityTagOf(body) };
}

function toWireTodo({ id, title, completed, createdAt, updatedAt }: Todo): WireTodo {
  return { id, title, completed, created_at: createdAt, updated_at: updatedAt };
}
