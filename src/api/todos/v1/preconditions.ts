import { refusalOf } from "../../../core/errors.js";
import type { Precondition } from "../../../todos/todo.js";
import {
  type EntityTags,
  matchesStrongly,
  matchesWeakly,
  parseEntityTags,
} from "../../../validation/entity-tag.js";
import { preview } from "../../../validation/preview.js";
import { serialiseTodo } from "./serialise-response.js";

/** The headers of a conditional request, unparsed. */
export interface ConditionalHeaders {
  readonly "if-match"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
}

/**
 * The precondition of a change, from `If-Match` and `If-None-Match` (RFC 9110, section 13.1);
 * undefined when the request has neither. A failed precondition is 409, the conflict of the
 * specification's section 7, not RFC 9110's 412.
 * @throws {GgufdError} `invalid_request` for a header that is not a list of entity tags. The
 *   precondition throws `etag_mismatch`.
 */
export function preconditionOf(headers: ConditionalHeaders): Precondition | undefined {
  const required = tagsOf("if-match", headers["if-match"]);
  const excluded = tagsOf("if-none-match", headers["if-none-match"]);
  if (required === undefined && excluded === undefined) return undefined;
  return (current) => {
    const { etag } = serialiseTodo(current);
    if (required !== undefined && !matchesStrongly(required, etag)) {
      const reason = `expected ${etag}, got ${preview(headers["if-match"])}`;
      throw refusalOf("etag_mismatch", [{ field: "if-match", reason }]);
    }
    if (excluded !== undefined && matchesWeakly(excluded, etag)) {
      const received = preview(headers["if-none-match"]);
      const reason = `expected another tag than ${etag}, got ${received}`;
      throw refusalOf("etag_mismatch", [{ field: "if-none-match", reason }]);
    }
  };
}

/**
 * Whether the client's cached response is current, by the `If-None-Match` of a GET or HEAD request.
 * @throws {GgufdError} `invalid_request` for a header that is not a list of entity tags
 */
export function isNotModified(etag: string, headers: ConditionalHeaders): boolean {
  const cachedTags = tagsOf("if-none-match", headers["if-none-match"]);
  return cachedTags !== undefined && matchesWeakly(cachedTags, etag);
}

function tagsOf(field: string, header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined;
  const tags = parseEntityTags(header);
  if (tags !== undefined) return tags;
  const reason = `expected * or entity tags such as "a", separated by commas, got ${preview(header)}`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}
