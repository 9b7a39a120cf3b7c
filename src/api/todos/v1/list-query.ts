import { z } from "zod";
import type { SortField, SortKey, TodoPosition, TodoQuery } from "../../../todos/todo.js";
import { decodeCursor, encodeCursor } from "../../../validation/cursor.js";
import type { TodoListQuery } from "./schema.js";

/** The type of the sort key that a cursor has for each sort field. */
const valueTypeOf = {
  id: "number",
  title: "string",
  completed: "boolean",
  createdAt: "string",
  updatedAt: "string",
} as const satisfies Record<SortField, string>;

/**
 * Translates a request's query for the store.
 * @throws {GgufdError} `invalid_cursor` when the cursor is not of this order and these filters
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
    : { ...query, after: decodeCursor(scopeOf(query), cursor, positionSchema(query.order)) };
}

/** The cursor of a position in the list of a query. */
export function toCursor(position: TodoPosition, query: TodoQuery): string {
  return encodeCursor(scopeOf(query), position);
}

function positionSchema(order: readonly SortKey[]): z.ZodType<TodoPosition> {
  const values = z.array(z.union([z.string(), z.number(), z.boolean()]));
  return z
    .object({ id: z.int().positive(), values })
    .refine(
      ({ values }) =>
        values.length === order.length &&
        order.every(({ field }, index) => typeof values[index] === valueTypeOf[field]),
    );
}

/** Only the limit may change between pages. */
function scopeOf({ order, filter }: TodoQuery): string {
  const keys = order.map(({ field, direction }) => [field, direction]);
  return JSON.stringify(["todos", keys, filter.completed, filter.titleContains]);
}
