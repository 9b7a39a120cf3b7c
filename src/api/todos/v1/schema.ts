import { z } from "zod";
import { trueOrFalse } from "../../../validation/fields.js";
import { pagination } from "../../../validation/pagination.js";
import { title, todoId } from "../schema.js";

const timestamp = (description: string) =>
  z.iso.datetime().meta({ description, example: "2026-11-21T20:59:59.000Z" });

/** Item: specification, section 2, with its creation and modification times. */
export const todo = z
  .object({
    id: z.int().positive().meta({ description: "Id of the item. Never reused.", example: 1 }),
    title,
    completed: z.boolean().meta({ description: "Whether the item is done.", example: false }),
    created_at: timestamp("Creation time (RFC 3339, UTC)."),
    updated_at: timestamp(
      "Time of the last change (RFC 3339, UTC). Initially equal to `created_at`.",
    ),
  })
  .meta({ id: "Todo", description: "A to-do item." });
export type WireTodo = z.infer<typeof todo>;

/** Page of the list: specification, section 2. */
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

/** Error: specification, section 2. */
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

/** Set by the service; accepted and ignored, so that a client can send back an item it received. */
const readOnlyField = z.unknown().optional().meta({
  description: "Set by the service; accepted and ignored in requests.",
  readOnly: true,
});

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(
    { ...shape, id: readOnlyField, created_at: readOnlyField, updated_at: readOnlyField },
    { error: "expected a JSON object" },
  );

const completed = trueOrFalse().meta({ description: "Whether the item is done.", example: true });

/** Body of POST. */
export const newTodo = body({ title, completed: completed.default(false) })
  .transform(({ title, completed }) => ({ title, completed }))
  .meta({ id: "NewTodo", description: "An item to create." });

/** Body of PUT: all fields that a client can set. */
export const todoReplacement = body({ title, completed })
  .transform(({ title, completed }) => ({ title, completed }))
  .meta({ id: "TodoReplacement", description: "The new state of an item." });

/** Body of PATCH: at least one of the fields that a client can set. */
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
    description: "Fields to change; at least one.",
    anyOf: [{ required: ["title"] }, { required: ["completed"] }],
  });

/** Path parameters of an item. */
export const todoPath = z.object({ id: todoId });
