import { z } from "zod";
import { GgufdError } from "../../core/errors.js";

/** Maximum length of a title, in characters (Unicode code points). */
const maxTitleCharacters = 10_000;

/**
 * Maximum size of a request body, in bytes. Every valid title fits: a character outside the Basic
 * Multilingual Plane takes 12 bytes as two JSON escapes, 120,000 bytes for the longest title.
 */
export const maxBodyBytes = 128 * 1024;

const titleError = `expected a string of 1 to ${maxTitleCharacters} characters, not only white space`;

/** Stored verbatim, including surrounding white space. */
export const title = z
  .string({ error: titleError })
  .refine((text) => text.trim() !== "" && [...text].length <= maxTitleCharacters, titleError)
  .meta({
    description:
      "What is to be done; stored verbatim. Lengths are in characters (Unicode code points).",
    example: "milk",
    minLength: 1,
    maxLength: maxTitleCharacters,
    pattern: "\\S",
  });

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, { error: "expected a JSON object" });

/** The body of POST. `completed` is coerced by truthiness; the default is false. */
export const createTodo = body({
  title,
  completed: z.unknown().optional().transform(Boolean).meta({
    description: "Whether it is done: any JSON value, coerced by truthiness.",
    example: false,
  }),
});

/** The body of PATCH. `completed` is required, and coerced by truthiness. */
export const updateTodo = body({
  completed: z
    .unknown()
    .optional()
    .refine((value) => value !== undefined, "expected a boolean")
    .transform(Boolean)
    .meta({
      description: "Whether it is done: any JSON value, coerced by truthiness.",
      example: true,
    }),
});

const todoIdError = `expected an integer from 1 to ${Number.MAX_SAFE_INTEGER}`;

/** An id in a path: the decimal digits of a positive safe integer. */
export const todoId = z
  .string({ error: todoIdError })
  .regex(/^\d+$/, todoIdError)
  .meta({ override: { type: "integer", pattern: undefined, minimum: 1 } })
  .transform(Number)
  .pipe(z.int({ error: todoIdError }).positive({ error: todoIdError }))
  .meta({ description: "The number of the item.", example: 1 });

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
