import { createHash } from "node:crypto";
import { z } from "zod";
import type { IdempotencyKey, NewTodo } from "../../../todos/todo.js";
import { parseInput } from "../../../validation/parse-input.js";
import { idempotencyKey } from "./schema.js";

const headers = z.object({ "idempotency-key": idempotencyKey });

/**
 * The key with which a client may ask again without creating twice, and a digest of what it asks
 * for: the item, so that the order of fields and white space make no other request of it.
 * @param header `Idempotency-Key`, if the request has one
 * @throws {GgufdError} `validation_failed` for a key that is none
 */
export function idempotencyOf(
  header: string | readonly string[] | undefined,
  { title, completed }: NewTodo,
): IdempotencyKey | undefined {
  const { "idempotency-key": key } = parseInput(
    headers,
    { "idempotency-key": header },
    { code: "validation_failed", whole: "headers" },
  );
  if (key === undefined) return undefined;
  const request = JSON.stringify([title, completed]);
  return { key, fingerprint: createHash("sha256").update(request).digest("hex") };
}
