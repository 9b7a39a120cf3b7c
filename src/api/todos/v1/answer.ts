import type { Todo, TodoPage, TodoQuery } from "../../../todos/todo.js";
import { computeEntityTag } from "../../../validation/entity-tag.js";
import { toPagination } from "../../../validation/pagination.js";
import { toCursor } from "./list-query.js";
import type { WireTodo, WireTodoList } from "./schema.js";

/** Serialised response body with its strong entity tag. */
export interface SerialisedResponse {
  readonly body: string;
  readonly etag: string;
}

/** Serialises an item. Every route sends the same bytes, and therefore the same entity tag. */
export function serialiseTodo(todo: Todo): SerialisedResponse {
  return serialise(toWireTodo(todo));
}

/** Serialises a page of a query's results. */
export function serialisePage({ items, next }: TodoPage, query: TodoQuery): SerialisedResponse {
  const list: WireTodoList = {
    data: items.map(toWireTodo),
    pagination: toPagination(next && toCursor(next, query)),
  };
  return serialise(list);
}

function serialise(value: object): SerialisedResponse {
  const body = JSON.stringify(value);
  return { body, etag: computeEntityTag(body) };
}

function toWireTodo({ id, title, completed, createdAt, updatedAt }: Todo): WireTodo {
  return { id, title, completed, created_at: createdAt, updated_at: updatedAt };
}
