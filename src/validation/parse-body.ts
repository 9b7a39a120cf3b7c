import type { z } from "zod";
import { GgufdError } from "../core/errors.js";
import { describeIssues } from "./describe-issues.js";

/**
 * A request body as its schema reads it.
 * @throws {GgufdError} `invalid_request` naming every field at fault.
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issues = describeIssues(result.error, body);
  const details = issues.map(({ field, reason }) => ({ field: field || "body", reason }));
  const sentences = details.map(({ field, reason }) => `${field}: ${reason}`);
  throw new GgufdError("invalid_request", `${sentences.join("; ")}.`, {
    param: issues[0]?.field || undefined,
    details,
  });
}
