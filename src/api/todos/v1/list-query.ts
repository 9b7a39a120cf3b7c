import { z } from "zod";
import type { SortField, SortKey, TodoPosition, TodoQuery } from "../../../todos/todo.js";
import { readCursor, writeCursor } from "../../../validation/cursor.js";
import type { TodoListQuery } from "./schema.js";

/** What a cursor keeps of an item under a sort field. */
const kindOf = {
  id: "number",
  title: "string",
  completed: "boolean",
  createdAt: "string",
  updatedAt: "string",
} as const satisfies Record<SortField, string>;

/**
 * The store's query for a request's.
 * @throws {GgufdError} `invalid_cursor` when the cursor is not one of this order and these filters
 */
export function toTodoQuery({ limit, cursor, sort, completed, title }: TodoListQuery): TodoQuery {
  const query = {
    limit,
    order: sort,
    filter: {
      ...(completed !== undefined && { completed }),
      ...(title !== undefined && { titleContains: title }),
    },
  };
  return cursor === undefined
    ? query
    : { ...query, after: readCursor(scopeOf(query), cursor, placeIn(query.order)) };
}

/** The cursor of a place in the list that a query asks for. */
export function toCursor(place: TodoPosition, query: TodoQuery): string {
  return writeCursor(scopeOf(query), place);
}

function placeIn(order: readonly SortKey[]): z.ZodType<TodoPosition> {
  const values = z.array(z.union([z.string(), z.number(), z.boolean()]));
  return z
    .object({ id: z.int().positive(), values })
    .refine(
      ({ values }) =>
        values.length === order.length &&
        order.every(({ field }, index) => typeof values[index] === kindOf[field]),
    );
}

/** A page's length may change from page to page, nothing else. */
function scopeOf({ order, filter }: TodoQuery): string {
  const keys = order.map(({ field, direction }) => [field, direction]);
  return JSON.stringify(["todos", keys, filter.completed, filter.titleContains]);
}
