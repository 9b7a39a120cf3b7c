import type { z } from "zod";
import { createRefusal, type ErrorCode } from "../core/errors.js";
import { describeIssues } from "./describe-issues.js";

/** How an error for invalid input is reported. */
export interface InputErrorOptions {
  readonly code: Extract<ErrorCode, "invalid_request" | "validation_failed">;
  /** The name of the input, reported when no single field is invalid. */
  readonly inputName: string;
}

/**
 * Parses client input with its schema.
 * @throws {GgufdError} with the code of the options and every invalid field
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  options: InputErrorOptions,
): z.output<Schema> {
  return unwrapOutput(schema.safeParse(input), input, options);
}

/** Like {@link parseInput}, over several event-loop turns for large input: see `boundedArray`. */
export async function parseInputInTurns<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  options: InputErrorOptions,
): Promise<z.output<Schema>> {
  return unwrapOutput(await schema.safeParseAsync(input), input, options);
}

function unwrapOutput<Output>(
  result: z.ZodSafeParseResult<Output>,
  input: unknown,
  { code, inputName }: InputErrorOptions,
): Output {
  if (result.success) return result.data;
  const issues = describeIssues(result.error, input);
  const details = issues.map(({ field, reason }) => ({ field: field || inputName, reason }));
  throw createRefusal(code, details, { param: issues[0]?.field || undefined });
}
