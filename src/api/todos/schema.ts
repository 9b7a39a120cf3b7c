import { z } from "zod";
import type { ZodOpenApiRequestBodyObject } from "zod-openapi";
import { GgufdError } from "../../core/errors.js";
import { LazyList } from "../../core/json.js";
import type { Todo } from "../../todos/todo.js";
import { JSON_TYPE } from "../description/responses.js";

/** Maximum length of a title, in characters (Unicode code points). */
const maxTitleCharacters = 10_000;

/**
 * Maximum size of a request body, in bytes. Every valid title fits: a character outside the Basic
 * Multilingual Plane takes 12 bytes as two JSON escapes, 120,000 bytes for the longest title.
 */
export const maxBodyBytes = 128 * 1024;

const titleError = `expected a string of 1 to ${maxTitleCharacters} characters, not only white space`;

/** Title of an item, stored verbatim, including surrounding white space. */
export const title = z
  .string({ error: titleError })
  .refine((text) => text.trim() !== "" && [...text].length <= maxTitleCharacters, titleError)
  .meta({
    description:
      "Title of the item, stored verbatim. Lengths are in characters (Unicode code points).",
    example: "milk",
    minLength: 1,
    maxLength: maxTitleCharacters,
    pattern: "\\S",
  });

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, { error: "expected a JSON object" });

/** Body of POST. `completed` is coerced by truthiness; the default is false. */
export const createTodo = body({
  title,
  completed: z.unknown().optional().transform(Boolean).meta({
    description: "Whether the item is done: any JSON value, coerced by truthiness.",
    example: false,
  }),
});

/** Body of PATCH. `completed` is required, and coerced by truthiness. */
export const updateTodo = body({
  completed: z
    .unknown()
    .optional()
    .refine((value) => value !== undefined, "expected a boolean")
    .transform(Boolean)
    .meta({
      description: "Whether the item is done: any JSON value, coerced by truthiness.",
      example: true,
    }),
});

const todoIdError = `expected an integer from 1 to ${Number.MAX_SAFE_INTEGER}`;

/** Id in a path: the decimal digits of a positive safe integer. */
export const todoId = z
  .string({ error: todoIdError })
  .regex(/^\d+$/, todoIdError)
  .meta({ override: { type: "integer", pattern: undefined, minimum: 1 } })
  .transform(Number)
  .pipe(z.int({ error: todoIdError }).positive({ error: todoIdError }))
  .meta({ description: "Id of the item.", example: 1 });

/**
 * Parses an id in a path.
 * @throws {GgufdError} `invalid_request`
 */
export function parseTodoId(text: string): number {
  const result = todoId.safeParse(text);
  if (result.success) return result.data;
  const message = `id: ${todoIdError}, got ${JSON.stringify(text)}.`;
  throw new GgufdError("invalid_request", message, { param: "id" });
}

/** Item of the task list service: specification, section 2. */
export const plainTodo = z
  .object({
    id: z.int().positive().meta({ description: "Id of the item. Never reused.", example: 1 }),
    title: z.string().meta({ example: "milk" }),
    completed: z.boolean().meta({ example: false }),
  })
  .meta({ id: "PlainTodo", description: "A to-do item of the plain service." });
type PlainTodo = z.infer<typeof plainTodo>;

/** All items, in the order of their ids. */
export const plainTodoList = z.array(plainTodo);

/** Response to PATCH. */
export const updateConfirmation = z.object({ updated: z.literal(true) });

/** Response to DELETE. */
export const deletionConfirmation = z.object({ deleted: z.literal(true) });

/** Full response to a change: the created item, or a confirmation. */
export type ChangeResponse =
  | PlainTodo
  | z.infer<typeof updateConfirmation>
  | z.infer<typeof deletionConfirmation>;

/** Minimal response to a change: specification, section 4, rule 4. */
export const success = z.object({ success: z.literal(true) }).meta({ id: "Success" });
export type Success = z.infer<typeof success>;

/** Error format of the task list service: specification, section 7. */
export const plainError = z
  .object({
    error: z.string().meta({
      description: "The expected value and the received one.",
      example:
        "title: expected a string of 1 to 10000 characters, not only white space, got nothing.",
    }),
  })
  .meta({ id: "PlainError", description: "An error of the plain service." });
export type PlainError = z.infer<typeof plainError>;

/** Removes the fields that only `/v1/todos` has. */
export function toPlainTodo({ id, title, completed }: Todo): PlainTodo {
  return { id, title, completed };
}

/** Converts items lazily: there may be many to serialise. */
export function toPlainList(todos: readonly Todo[]): LazyList<PlainTodo> {
  return LazyList.from(todos, toPlainTodo);
}

/** Describes the JSON body of a request that changes an item. */
export function describeJsonBody<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
): ZodOpenApiRequestBodyObject {
  return {
    required: true,
    description: "At most 128 KiB.",
    content: { [JSON_TYPE]: { schema, example } },
  };
}

/** Error of an unknown id. */
export const unknownId = new GgufdError("not_found", "No todo has the id 2.");
