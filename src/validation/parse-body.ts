import type { z } from "zod";
import { GgufdError } from "../core/errors.js";
import { describeDetail, describeIssues } from "./describe-issues.js";

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
  const details = describeIssues(result.error, body);
  throw new GgufdError("invalid_request", `${details.map(describeDetail).join("; ")}.`, {
    param: details[0]?.field || undefined,
    details,
  });
}
