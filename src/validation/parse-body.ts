import type { z } from "zod";
import { type InputErrorOptions, parseInputInTurns } from "./parse-input.js";

/**
 * Parses a request body with its schema; a large body is parsed over several event-loop turns.
 * @param code error code for a body that the schema rejects
 * @throws {GgufdError} with that code and every invalid field; `invalid_request` when there is no
 *   body
 */
export async function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  code: InputErrorOptions["code"] = "invalid_request",
): Promise<z.output<Schema>> {
  const isMissing = body === undefined;
  return parseInputInTurns(schema, body, {
    code: isMissing ? "invalid_request" : code,
    inputName: "body",
  });
}
