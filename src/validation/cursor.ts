import { createHash } from "node:crypto";
import type { z } from "zod";
import { type GgufdError, refusalOf } from "../core/errors.js";
import { preview } from "./describe-issues.js";

/** Bytes of the checksum: nobody hits upon a right one, and the cursor stays short. */
const CHECKSUM_BYTES = 12;

/**
 * Writes a place in a list as an opaque text of letters, digits, `-` and `_`.
 *
 * There is no secret in it, so that it is still good after a restart: the checksum finds damage and
 * cursors of other lists, and what is read back is checked as any input is.
 *
 * @param scope what the cursor is good for: the list, its order and its filters
 * @param place JSON
 */
export function writeCursor(scope: string, place: unknown): string {
  const text = Buffer.from(JSON.stringify(place), "utf8");
  return Buffer.concat([checksum(scope, text), text]).toString("base64url");
}

/**
 * The place in a cursor of {@link writeCursor}.
 * @throws {GgufdError} `invalid_cursor` for everything that was not written for this scope
 */
export function readCursor<Schema extends z.ZodType>(
  scope: string,
  cursor: string,
  schema: Schema,
): z.output<Schema> {
  const bytes = Buffer.from(cursor, "base64url");
  const sum = bytes.subarray(0, CHECKSUM_BYTES);
  const text = bytes.subarray(CHECKSUM_BYTES);
  // Decoding forgives characters that do not belong; written again they would be gone.
  const isOurs = bytes.toString("base64url") === cursor && sum.equals(checksum(scope, text));
  const result = isOurs ? schema.safeParse(parsed(text)) : undefined;
  if (result?.success) return result.data;
  throw invalidCursor(cursor);
}

function checksum(scope: string, text: Buffer): Buffer {
  const hash = createHash("sha256").update(JSON.stringify(scope)).update(text);
  return hash.digest().subarray(0, CHECKSUM_BYTES);
}

/** Undefined for what is no JSON: somebody worked out a checksum. */
function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"));
  } catch {
    return undefined;
  }
}

function invalidCursor(cursor: string): GgufdError {
  const expected = "expected the next_cursor of a page with the same sort and filters";
  const reason = `${expected}, got ${preview(cursor)}`;
  return refusalOf("invalid_cursor", [{ field: "cursor", reason }]);
}
