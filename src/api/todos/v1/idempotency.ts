import { createHash } from "node:crypto";
import { z } from "zod";
import type { IdempotencyKey, NewTodo } from "../../../todos/todo.js";
import { parseInput } from "../../../validation/parse-input.js";
import { idempotencyKey } from "./schema.js";

const keyHeaders = z.object({ "idempotency-key": idempotencyKey });

/** What is read of a request beside its body. */
interface RequestHead {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the API key; `undefined`: the server has none. */
  readonly keyName: string | undefined;
}

/**
 * The idempotency key, with which a client can safely retry a creation, and a fingerprint of the
 * request. The fingerprint is of the parsed item: field order and white space do not change it.
 * @throws {GgufdError} `validation_failed` for a malformed key
 */
export function idempotencyOf(
  { headers, keyName: owner }: RequestHead,
  { title, completed }: NewTodo,
): IdempotencyKey | undefined {
  const { "idempotency-key": key } = parseInput(
    keyHeaders,
    { "idempotency-key": headers["idempotency-key"] },
    { code: "validation_failed", inputName: "headers" },
  );
  if (key === undefined) return undefined;
  const request = JSON.stringify([title, completed]);
  const fingerprint = createHash("sha256").update(request).digest("hex");
  return { key, ...(owner !== undefined && { owner }), fingerprint };
}
