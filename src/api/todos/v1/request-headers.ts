import { createHash } from "node:crypto";
import { z } from "zod";
import { createRefusal } from "../../../core/errors.js";
import type { IdempotencyKey, NewTodo, Precondition } from "../../../todos/todo.js";
import {
  type EntityTags,
  matchesStrongly,
  matchesWeakly,
  parseEntityTags,
} from "../../../validation/entity-tag.js";
import { parseInput } from "../../../validation/parse-input.js";
import { preview } from "../../../validation/preview.js";
import { serialiseTodo } from "./answer.js";

/** Headers of a change. */
export const ifMatchHeader = z.object({
  "If-Match": z.string().optional().meta({
    description:
      "Comma-separated entity tags, or `*`. The item is changed only if it has one of them; otherwise the answer is 409.",
  }),
  "If-None-Match": z.string().optional().meta({
    description:
      "Comma-separated entity tags, or `*`. The item is changed only if it has none of them; otherwise the answer is 409.",
  }),
});

/** Headers of a GET request. */
export const ifNoneMatchHeader = z.object({
  "If-None-Match": z.string().optional().meta({
    description:
      "Comma-separated entity tags, or `*`. The answer is 304 if the response has one of them.",
  }),
});

const idempotencyKeyError = "expected 1 to 255 visible ASCII characters";
/** Header `Idempotency-Key`. */
export const idempotencyKey = z
  .string({ error: idempotencyKeyError })
  .regex(/^[\x21-\x7e]{1,255}$/, { error: idempotencyKeyError })
  .optional()
  .meta({
    description:
      "Key of the request. A retry with the same key and body within a day returns the first response and creates no second item.",
  });

const keyHeaders = z.object({ "idempotency-key": idempotencyKey });

/** Parts of a request that identify a creation, in addition to the body. */
interface RequestHead {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Name of the API key; `undefined`: the server has no keys. */
  readonly keyName: string | undefined;
}

/**
 * Reads the idempotency key, with which a client can safely retry a creation, and computes a
 * fingerprint of the request. The fingerprint covers the parsed item, so field order and white
 * space do not affect it.
 * @throws {GgufdError} `validation_failed` for a malformed key
 */
export function parseIdempotencyKey(
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

/** Headers of a conditional request, unparsed. */
interface ConditionalHeaders {
  readonly "if-match"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
}

/**
 * Parses the precondition of a change from `If-Match` and `If-None-Match` (RFC 9110, section 13.1);
 * `undefined`: the request has neither. A failed precondition is 409, the conflict of the
 * specification's section 7, not RFC 9110's 412.
 * @throws {GgufdError} `invalid_request` for a header that is not a list of entity tags. The
 *   precondition throws `etag_mismatch`.
 */
export function parsePrecondition(headers: ConditionalHeaders): Precondition | undefined {
  const requiredTags = parseTags("if-match", headers["if-match"]);
  const excludedTags = parseTags("if-none-match", headers["if-none-match"]);
  if (requiredTags === undefined && excludedTags === undefined) return undefined;
  return (current) => {
    const { etag } = serialiseTodo(current);
    if (requiredTags !== undefined && !matchesStrongly(requiredTags, etag)) {
      const reason = `expected ${etag}, got ${preview(headers["if-match"])}`;
      throw createRefusal("etag_mismatch", [{ field: "if-match", reason }]);
    }
    if (excludedTags !== undefined && matchesWeakly(excludedTags, etag)) {
      const received = preview(headers["if-none-match"]);
      const reason = `expected a tag other than ${etag}, got ${received}`;
      throw createRefusal("etag_mismatch", [{ field: "if-none-match", reason }]);
    }
  };
}

/**
 * Whether the client's cached response is current, according to the `If-None-Match` header of a GET
 * or HEAD request.
 * @throws {GgufdError} `invalid_request` for a header that is not a list of entity tags
 */
export function isNotModified(etag: string, headers: ConditionalHeaders): boolean {
  const cachedTags = parseTags("if-none-match", headers["if-none-match"]);
  return cachedTags !== undefined && matchesWeakly(cachedTags, etag);
}

function parseTags(field: string, header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined;
  const tags = parseEntityTags(header);
  if (tags !== undefined) return tags;
  const reason = `expected * or entity tags such as "a", separated by commas, got ${preview(header)}`;
  throw createRefusal("invalid_request", [{ field, reason }]);
}
