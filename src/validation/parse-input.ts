import type { z } from "zod";
import { type ErrorCode, refusalOf } from "../core/errors.js";
import { describeIssues } from "./describe-issues.js";

/** What a refusal says, beside what is wrong. */
export interface RefusalTerms {
  readonly code: Extract<ErrorCode, "invalid_request" | "validation_failed">;
  /** What the value as a whole is called, for when no field of it is at fault. */
  readonly whole: string;
}

/**
 * What a client sent, as its schema reads it.
 * @throws {GgufdError} with the code of the terms, naming every field at fault.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  { code, whole }: RefusalTerms,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = describeIssues(result.error, input);
  const details = issues.map(({ field, reason }) => ({ field: field || whole, reason }));
  throw refusalOf(code, details, { param: issues[0]?.field || undefined });
}
