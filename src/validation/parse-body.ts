import type { z } from "zod";
import { parseInput, type RefusalTerms } from "./parse-input.js";

/**
 * A request body as its schema reads it.
 * @param code what a body that the schema refuses is called
 * @throws {GgufdError} with that code, naming every field at fault; `invalid_request` where there is
 *   no body at all
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  code: RefusalTerms["code"] = "invalid_request",
): z.output<Schema> {
  const isMissing = body === undefined;
  return parseInput(schema, body, { code: isMissing ? "invalid_request" : code, whole: "body" });
}
