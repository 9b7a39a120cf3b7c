import assert from "node:assert/strict";
import { z } from "zod";
import type { SortField, SortKey, TodoPosition, TodoQuery } from "../../../todos/todo.js";
import {
  cursorParameter,
  decodeCursor,
  encodeCursor,
  MAX_PAGE_SIZE,
} from "../../../validation/pagination.js";
import {
  booleanParameter,
  integerParameter,
  nonEmptyParameter,
} from "../../../validation/parameters.js";

/** Maps the API's field names to the store's sort fields. */
const sortFieldOf = {
  id: "id",
  title: "title",
  completed: "completed",
  created_at: "createdAt",
  updated_at: "updatedAt",
} as const satisfies Record<string, SortField>;

const sortNames = Object.keys(sortFieldOf);
const sortError = `expected a comma-separated list of ${sortNames.join(", ")}, each at most once, with a leading - for descending order`;
const sortElement = `-?(${sortNames.join("|")})`;

/** Sort order of a list, most significant field first: `-completed,title`. */
const sort = z
  .string({ error: sortError })
  .regex(new RegExp(`^${sortElement}(,${sortElement})*$`), { error: sortError })
  .transform((text) => text.split(",").map(toSortKey))
  .refine((keys) => new Set(keys.map(({ field }) => field)).size === keys.length, {
    error: sortError,
  });

function toSortKey(text: string): SortKey {
  const name = text.replace("-", "") as keyof typeof sortFieldOf;
  return {
    field: sortFieldOf[name],
    direction: text.startsWith("-") ? "descending" : "ascending",
  };
}

/**
 * Query of the list. Optional parameters without a default have no `example`, because documentation
 * pages such as Swagger UI send the examples as values.
 */
export const todoListQuery = z.strictObject({
  limit: integerParameter(1, MAX_PAGE_SIZE)
    .default(20)
    .meta({
      description: "Maximum number of items per page.",
      example: 20,
      override: { default: 20 },
    }),
  cursor: cursorParameter(),
  sort: sort.default([{ field: "id", direction: "ascending" }]).meta({
    description:
      "Sort order: comma-separated fields, most significant first, each with `-` for descending order, such as `-completed,title`. Ties are ordered by id.",
    override: { default: "id" },
  }),
  completed: booleanParameter()
    .optional()
    .meta({ description: "Returns only items that are done (`true`) or open (`false`)." }),
  title: nonEmptyParameter().optional().meta({
    description: "Returns only items whose title contains this text, ignoring case.",
  }),
});
type TodoListQuery = z.infer<typeof todoListQuery>;

/** Type of a cursor's value for each sort field. */
const valueTypeOf = {
  id: "number",
  title: "string",
  completed: "boolean",
  createdAt: "string",
  updatedAt: "string",
} as const satisfies Record<SortField, string>;

/**
 * Translates a request's query for the store.
 * @throws {GgufdError} `invalid_cursor` if the cursor belongs to another order or other filters
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
    : { ...query, after: decodeCursor(serialiseScope(query), cursor, positionSchema(query.order)) };
}

/** Encodes a position in a query's results as a cursor. */
export function toCursor(position: TodoPosition, query: TodoQuery): string {
  assert.equal(position.values.length, query.order.length, "a value for each sort key");
  return encodeCursor(serialiseScope(query), position);
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

/**
 * Identifies the order and the filters that a cursor is valid for. Only the limit may change
 * between pages.
 */
function serialiseScope({ order, filter }: TodoQuery): string {
  const keys = order.map(({ field, direction }) => [field, direction]);
  return JSON.stringify(["todos", keys, filter.completed, filter.titleContains]);
}
