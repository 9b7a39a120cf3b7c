import { z } from "zod";
import { trueOrFalse } from "../../../validation/fields.js";
import { cursorParameter, LARGEST_PAGE, pagination } from "../../../validation/pagination.js";
import {
  booleanParameter,
  integerParameter,
  nonEmptyParameter,
} from "../../../validation/parameters.js";
import { title, todoId } from "../schema.js";
import { sort } from "./sort.js";

const instant = (description: string) =>
  z.iso.datetime().meta({ description, example: "2026-11-21T20:59:59.000Z" });

/** An item: specification, section 2, and when it was created and changed. */
export const todo = z
  .object({
    id: z.int().positive().meta({ description: "Never given to another item.", example: 1 }),
    title,
    completed: z.boolean().meta({ description: "Whether it is done.", example: false }),
    created_at: instant("When it was created: RFC 3339, in UTC."),
    updated_at: instant("When it was changed last; at first when it was created."),
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
    description: "The field of the body, the parameter or the header at fault.",
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
        .meta({ description: "For programs.", example: "VALIDATION_FAILED" }),
      message: z.string().meta({
        description: "For people: what was expected and what came.",
        example: 'limit: expected an integer from 1 to 100, got "0".',
      }),
      details: z.array(errorDetail).meta({ description: "What is wrong with which field." }),
      request_id: z.string().meta({
        description: "The request's id, as in the header `X-Request-Id`.",
        example: "req_87c77efb-8c96-4b70-bb1c-01c42f67bffe",
      }),
    }),
  })
  .meta({ id: "Error", description: "What went wrong." });
export type ErrorBody = z.infer<typeof errorBody>;

/** What the service sets: taken and ignored, so that a client can send back an item that it got. */
const ignored = z.unknown().optional().meta({
  description: "Set by the service: taken and ignored.",
  readOnly: true,
});

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(
    { ...shape, id: ignored, created_at: ignored, updated_at: ignored },
    { error: "expected a JSON object" },
  );

const completed = trueOrFalse().meta({ description: "Whether it is done.", example: true });

/** The body of POST. */
export const newTodo = body({ title, completed: completed.default(false) })
  .transform(({ title, completed }) => ({ title, completed }))
  .meta({ id: "NewTodo", description: "An item to create." });

/** The body of PUT: all that a client may say of an item. */
export const todoReplacement = body({ title, completed })
  .transform(({ title, completed }) => ({ title, completed }))
  .meta({ id: "TodoReplacement", description: "What an item becomes." });

/** The body of PATCH: some of it. */
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

/** Where an item is. */
export const todoPath = z.object({ id: todoId });

/**
 * The query of the list. Parameters that may be left out have their examples in the description: pages
 * that ask for a client send what stands as an example.
 */
export const todoListQuery = z.strictObject({
  limit: integerParameter(1, LARGEST_PAGE)
    .default(20)
    .meta({ description: "Items of a page at most.", example: 20, override: { default: 20 } }),
  cursor: cursorParameter(),
  sort: sort.default([{ field: "id", direction: "ascending" }]).meta({
    description:
      "The order: fields by comma, the first counts most, `-` before one for descending. Items that are equal in all follow in order of their ids. For example `-completed,title`.",
    override: { default: "id" },
  }),
  completed: booleanParameter()
    .optional()
    .meta({ description: "Only items that are done, or are not." }),
  title: nonEmptyParameter().optional().meta({
    description: "Only items with this in their title, in any case of letters.",
  }),
});
export type TodoListQuery = z.infer<typeof todoListQuery>;

/** Headers of requests. */
export const ifMatch = z.string().optional().meta({
  description:
    "Entity tags by comma, or `*`: the item is only changed when it still has one of them. Else 409.",
});
export const ifNoneMatch = z.string().optional().meta({
  description: "Entity tags by comma, or `*`: 304 when the answer has one of them.",
});
const idempotencyKeyError = "expected 1 to 255 visible ASCII characters";
export const idempotencyKey = z
  .string({ error: idempotencyKeyError })
  .regex(/^[\x21-\x7e]{1,255}$/, { error: idempotencyKeyError })
  .optional()
  .meta({
    description:
      "The same key and body within a day answer as the first time, and nothing is created again.",
  });
