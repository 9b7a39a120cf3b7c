import { z } from "zod";
import { GgufdError } from "../../core/errors.js";
import { describeValue } from "./describe-value.js";

/** Longest title, in characters (Unicode code points). */
const titleMaxCharacters = 10_000;

/**
 * Longest request body, in bytes. Every legal title passes: a character outside the basic plane
 * takes 12 bytes as two JSON escapes, 120,000 for the longest title.
 */
export const bodyMaxBytes = 128 * 1024;

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, {
    error: ({ input }) => `body: expected a JSON object, got ${describeValue(input)}`,
  });

/** Kept as it came, white space around it included. */
const title = z
  .string({ error: ({ input }) => wrongTitle(describeValue(input)) })
  .check(({ value, issues }) => {
    const fault = faultOfTitle(value);
    if (fault === undefined) return;
    issues.push({ code: "custom", input: value, message: wrongTitle(fault) });
  });

const createTodo = body({
  title,
  completed: z.unknown().optional().transform(Boolean),
});

const updateTodo = body({
  completed: z
    .unknown()
    .optional()
    .refine((value) => value !== undefined, "completed: expected a boolean, got nothing")
    .transform(Boolean),
});

const todoId = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().positive());

/**
 * The body of POST. `completed` counts by its truthiness, and is false when it is not there.
 * @throws {GgufdError} `invalid_request`, naming the field, what was expected and what came
 */
export function parseCreateTodo(value: unknown): z.infer<typeof createTodo> {
  return parse(createTodo, value);
}

/**
 * The body of PATCH. `completed` counts by its truthiness, and must be there.
 * @throws {GgufdError} `invalid_request`, naming the field, what was expected and what came
 */
export function parseUpdateTodo(value: unknown): z.infer<typeof updateTodo> {
  return parse(updateTodo, value);
}

/**
 * An id in a path: decimal digits that make a positive safe integer.
 * @throws {GgufdError} `invalid_request`
 */
export function parseTodoId(text: string): number {
  const result = todoId.safeParse(text);
  if (result.success) return result.data;
  const message = `id: expected an integer from 1 to ${Number.MAX_SAFE_INTEGER}, got ${JSON.stringify(text)}`;
  throw new GgufdError("invalid_request", message, { param: "id" });
}

function parse<Result>(schema: z.ZodType<Result>, value: unknown): Result {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = issue?.path.join(".");
  throw new GgufdError("invalid_request", issue?.message ?? "body: wrong shape", {
    ...(param ? { param } : {}),
  });
}

function wrongTitle(got: string): string {
  const most = titleMaxCharacters.toLocaleString("en");
  return `title: expected a string of 1 to ${most} characters, not only white space, got ${got}`;
}

/** What is wrong with a title, in words; undefined when nothing is. */
function faultOfTitle(value: string): string | undefined {
  if (value === "") return "an empty string";
  if (value.trim() === "") return "only white space";
  const characters = [...value].length;
  if (characters <= titleMaxCharacters) return undefined;
  return `${characters.toLocaleString("en")} characters`;
}
