import { z } from "zod";
import type { SortField, SortKey } from "../../../todos/todo.js";
import { trueOrFalse } from "../../../validation/fields.js";
import { cursorParameter, MAX_PAGE_SIZE, pagination } from "../../../validation/pagination.js";
import {
  booleanParameter,
  integerParameter,
  nonEmptyParameter,
} from "../../../validation/parameters.js";
import { title, todoId } from "../schema.js";

const timestamp = (description: string) =>
  z.iso.datetime().meta({ description, example: "2026-11-21T20:59:59.000Z" });

/** An item: specification, section 2, with the times of its creation and last change. */
export const todo = z
  .object({
    id: z.int().positive().meta({ description: "Never reused for another item.", example: 1 }),
    title,
    completed: z.boolean().meta({ description: "Whether it is done.", example: false }),
    created_at: timestamp("When it was created: RFC 3339, in UTC."),
    updated_at: timestamp("When it was last changed; initially equal to `created_at`."),
  })
  .meta({ id: "Todo", description: "A to-do item." });
export type WireTodo = z.infer<typeof todo>;

/** A page of the list: specification, section 2. */
export const todoList = z
  .object({ data: z.array(todo).meta({ description: "The items of this page." }), pagination })
  .meta({ id: "TodoList", description: "A page of to-do items." });
export type WireTodoList = z.infer<typeof todoList>;

const errorDetail = z.object({
  field: z.string().meta({
    description: "The invalid body field, parameter or header.",
    example: "limit",
  }),
  reason: z.string().meta({ example: 'expected an integer from 1 to 100, got "0"' }),
});

/** An error: specification, section 2. */
export const errorBody = z
  .object({
    error: z.object({
      code: z
        .string()
        .regex(/^[A-Z_]+$/)
        .meta({ description: "Machine-readable.", example: "VALIDATION_FAILED" }),
      message: z.string().meta({
        description: "Human-readable: what was expected and what was received.",
        example: 'limit: expected an integer from 1 to 100, got "0".',
      }),
      details: z.array(errorDetail).meta({ description: "The invalid fields, with reasons." }),
      request_id: z.string().meta({
        description: "The request's id, as in the header `X-Request-Id`.",
        example: "req_87c77efb-8c96-4b70-bb1c-01c42f67bffe",
      }),
    }),
  })
  .meta({ id: "Error", description: "An error." });
export type ErrorBody = z.infer<typeof errorBody>;

/** Set by the service: accepted and ignored, so that a client can send back an item it received. */
const readOnlyField = z.unknown().optional().meta({
  description: "Set by the service: accepted and ignored.",
  readOnly: true,
});

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(
    { ...shape, id: readOnlyField, created_at: readOnlyField, updated_at: readOnlyField },
    { error: "expected a JSON object" },
  );

const completed = trueOrFalse().meta({ description: "Whether it is done.", example: true });

/** The body of POST. */
export const newTodo = body({ title, completed: completed.default(false) })
  .transform(({ title, completed }) => ({ title, completed }))
  .meta({ id: "NewTodo", description: "An item to create." });

/** The body of PUT: all fields that a client can set. */
export const todoReplacement = body({ title, completed })
  .transform(({ title, completed }) => ({ title, completed }))
  .meta({ id: "TodoReplacement", description: "The new state of an item." });

/** The body of PATCH: at least one of the fields that a client can set. */
export const todoUpdate = body({ title: title.optional(), completed: completed.optional() })
  .refine((change) => change.title !== undefined || change.completed !== undefined, {
    error: "expected title, completed or both",
  })
  .transform(({ title, completed }) => ({
    ...(title !== undefined && { title }),
    ...(completed !== undefined && { completed }),
  }))
  .meta({
    id: "TodoUpdate",
    description: "The fields that change, at least one of them.",
    anyOf: [{ required: ["title"] }, { required: ["completed"] }],
  });

/** The path parameters of an item. */
export const todoPath = z.object({ id: todoId });

/** The store's sort field for each field name of the API. */
const sortFieldOf = {
  id: "id",
  title: "title",
  completed: "completed",
  created_at: "createdAt",
  updated_at: "updatedAt",
} as const satisfies Record<string, SortField>;

const sortNames = Object.keys(sortFieldOf);
const sortError = `expected fields of ${sortNames.join(", ")}, each once, by comma, - before one for descending`;
const sortElement = `-?(${sortNames.join("|")})`;

/** The order of a list, the most significant field first: `-completed,title`. */
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
 * The query of the list. Optional parameters without a default have no `example`, because
 * documentation pages such as Swagger UI send the examples as values.
 */
export const todoListQuery = z.strictObject({
  limit: integerParameter(1, MAX_PAGE_SIZE)
    .default(20)
    .meta({
      description: "Maximum number of items in a page.",
      example: 20,
      override: { default: 20 },
    }),
  cursor: cursorParameter(),
  sort: sort.default([{ field: "id", direction: "ascending" }]).meta({
    description:
      "The order: fields, separated by commas, most significant first, with `-` for descending order. Ties are in order of ids. For example `-completed,title`.",
    override: { default: "id" },
  }),
  completed: booleanParameter()
    .optional()
    .meta({ description: "Only items that are done, or only those that are not." }),
  title: nonEmptyParameter().optional().meta({
    description: "Only items whose title contains this text; case-insensitive.",
  }),
});
export type TodoListQuery = z.infer<typeof todoListQuery>;

/** Request headers. */
export const ifMatch = z.string().optional().meta({
  description:
    "Entity tags, separated by commas, or `*`: the item is only changed if it still has one of them, otherwise 409.",
});
export const ifNoneMatch = z.string().optional().meta({
  description: "Entity tags, separated by commas, or `*`: 304 if the response has one of them.",
});
const idempotencyKeyError = "expected 1 to 255 visible ASCII characters";
export const idempotencyKey = z
  .string({ error: idempotencyKeyError })
  .regex(/^[\x21-\x7e]{1,255}$/, { error: idempotencyKeyError })
  .optional()
  .meta({
    description:
      "A retry with the same key and body within a day has the response of the first request; no second item is created.",
  });
