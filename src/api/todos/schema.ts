import { z } from "zod";
import { GgufdError } from "../../core/errors.js";

/** Longest title, in characters (Unicode code points). */
const titleMaxCharacters = 10_000;

/**
 * Longest request body, in bytes. Every legal title passes: a character outside the basic plane
 * takes 12 bytes as two JSON escapes, 120,000 for the longest title.
 */
export const bodyMaxBytes = 128 * 1024;

const titleError = `expected a string of 1 to ${titleMaxCharacters} characters, not only white space`;

/** Kept as it came, white space around it included. */
export const title = z
  .string({ error: titleError })
  .refine((text) => text.trim() !== "" && [...text].length <= titleMaxCharacters, titleError)
  .meta({
    description: "What is to be done; kept as it came. In characters (Unicode code points).",
    example: "milk",
    minLength: 1,
    maxLength: titleMaxCharacters,
    pattern: "\\S",
  });

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, { error: "expected a JSON object" });

/** The body of POST. `completed` counts by its truthiness, and is false when it is not there. */
export const createTodo = body({
  title,
  completed: z.unknown().optional().transform(Boolean).meta({
    description: "Whether it is done: any JSON value, by its truthiness.",
    example: false,
  }),
});

/** The body of PATCH. `completed` counts by its truthiness, and must be there. */
export const updateTodo = body({
  completed: z
    .unknown()
    .optional()
    .refine((value) => value !== undefined, "expected a boolean")
    .transform(Boolean)
    .meta({ description: "Whether it is done: any JSON value, by its truthiness.", example: true }),
});

const todoIdError = `expected an integer from 1 to ${Number.MAX_SAFE_INTEGER}`;

/** An id in a path: decimal digits that make a positive safe integer. */
export const todoId = z
  .string({ error: todoIdError })
  .regex(/^\d+$/, todoIdError)
  .meta({ override: { type: "integer", pattern: undefined, minimum: 1 } })
  .transform(Number)
  .pipe(z.int({ error: todoIdError }).positive({ error: todoIdError }))
  .meta({ description: "The number of the item.", example: 1 });

/**
 * An id in a path.
 * @throws {GgufdError} `invalid_request`
 */
export function parseTodoId(text: string): number {
  const result = todoId.safeParse(text);
  if (result.success) return result.data;
  const message = `id: ${todoIdError}, got ${JSON.stringify(text)}.`;
  throw new GgufdError("invalid_request", message, { param: "id" });
}
