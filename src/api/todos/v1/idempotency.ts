import { createHash } from "node:crypto";
import { z } from "zod";
import type { IdempotencyKey, NewTodo } from "../../../todos/todo.js";
import { parseInput } from "../../../validation/parse-input.js";
import { idempotencyKey } from "./schema.js";

const headers = z.object({ "idempotency-key": idempotencyKey });

/**
 * The idempotency key, with which a client can safely retry a creation, and a fingerprint of the
 * request. The fingerprint is of the parsed item: field order and white space do not change it.
 * @param header `Idempotency-Key`, if the request has one
 * @throws {GgufdError} `validation_failed` for a malformed key
 */
export function idempotencyOf(
  header: string | readonly string[] | undefined,
  { title, completed }: NewTodo,
): IdempotencyKey | undefined {
  const { "idempotency-key": key } = parseInput(
    headers,
    { "idempotency-key": header },
    { code: "validation_failed", inputName: "headers" },
  );
  if (key === undefined) return undefined;
  const request = JSON.stringify([title, completed]);
  return { key, fingerprint: createHash("sha256").update(request).digest("hex") };
}
