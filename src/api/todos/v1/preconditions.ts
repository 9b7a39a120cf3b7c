import { refusalOf } from "../../../core/errors.js";
import type { Precondition } from "../../../todos/todo.js";
import { preview } from "../../../validation/describe-issues.js";
import {
  type EntityTags,
  matchesStrongly,
  matchesWeakly,
  parseEntityTags,
} from "../../../validation/entity-tag.js";
import { printTodo } from "./print-answer.js";

/** The headers that make a request conditional, as they came. */
export interface ConditionalHeaders {
  readonly "if-match"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
}

/**
 * What must hold of an item before it is changed: `If-Match` and `If-None-Match` (RFC 9110, section
 * 13.1); undefined when there is neither. What does not hold is 409, the conflict of the specification's section 7, not RFC 9110's
 * 412.
 * @throws {GgufdError} `invalid_request` for a header that is no list of entity tags. The
 *   precondition throws `etag_mismatch`.
 */
export function preconditionOf(headers: ConditionalHeaders): Precondition | undefined {
  const required = tagsOf("if-match", headers["if-match"]);
  const excluded = tagsOf("if-none-match", headers["if-none-match"]);
  if (required === undefined && excluded === undefined) return undefined;
  return (current) => {
    const { etag } = printTodo(current);
    if (required !== undefined && !matchesStrongly(required, etag)) {
      const reason = `expected ${etag}, got ${preview(headers["if-match"])}`;
      throw refusalOf("etag_mismatch", [{ field: "if-match", reason }]);
    }
    if (excluded !== undefined && matchesWeakly(excluded, etag)) {
      const got = preview(headers["if-none-match"]);
      const reason = `expected another tag than ${etag}, got ${got}`;
      throw refusalOf("etag_mismatch", [{ field: "if-none-match", reason }]);
    }
  };
}

/**
 * Whether the client has this answer already: `If-None-Match` of a request that only reads.
 * @throws {GgufdError} `invalid_request` for a header that is no list of entity tags
 */
export function isKnown(etag: string, headers: ConditionalHeaders): boolean {
  const known = tagsOf("if-none-match", headers["if-none-match"]);
  return known !== undefined && matchesWeakly(known, etag);
}

function tagsOf(field: string, header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined;
  const tags = parseEntityTags(header);
  if (tags !== undefined) return tags;
  const reason = `expected * or entity tags such as "a", by comma, got ${preview(header)}`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}
