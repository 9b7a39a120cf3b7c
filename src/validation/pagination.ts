import { createHash } from "node:crypto";
import { z } from "zod";
import { createRefusal, type GgufdError } from "../core/errors.js";
import { textParameter } from "./parameters.js";
import { preview } from "./preview.js";

/** Maximum number of items in a page: specification, section 8. */
export const MAX_PAGE_SIZE = 100;

/** The `pagination` object of a list response: specification, section 2. */
export const pagination = z
  .object({
    next_cursor: z.string().nullable().meta({
      description: "The `cursor` of the next page; null on the last one.",
      example: null,
    }),
    has_more: z.boolean().meta({ description: "Whether there is a next page.", example: false }),
  })
  .meta({ id: "Pagination", description: "How to get the next page." });
export type Pagination = z.infer<typeof pagination>;

/** The `cursor` query parameter. */
export function cursorParameter() {
  return textParameter().optional().meta({
    description: "The `next_cursor` of the previous page, with the same sort and filters.",
  });
}

/** @param nextCursor undefined on the last page */
export function toPagination(nextCursor: string | undefined): Pagination {
  return { next_cursor: nextCursor ?? null, has_more: nextCursor !== undefined };
}

/** Enough to detect a random cursor while keeping cursors short. */
const CHECKSUM_BYTES = 12;

/**
 * Encodes a position in a list as an opaque string of letters, digits, `-` and `_` (base64url).
 *
 * The checksum is not keyed, so a cursor stays valid across restarts. It detects damaged cursors
 * and cursors of other lists; it does not authenticate, so the decoded position is validated like
 * any input.
 *
 * @param scope what the cursor is valid for: the list, its order and its filters
 * @param position JSON
 */
export function encodeCursor(scope: string, position: unknown): string {
  const text = Buffer.from(JSON.stringify(position), "utf8");
  return Buffer.concat([computeChecksum(scope, text), text]).toString("base64url");
}

/**
 * Decodes the position in a cursor of {@link encodeCursor}.
 * @throws {GgufdError} `invalid_cursor` for anything that was not encoded for this scope
 */
export function decodeCursor<Schema extends z.ZodType>(
  scope: string,
  cursor: string,
  schema: Schema,
): z.output<Schema> {
  const bytes = Buffer.from(cursor, "base64url");
  const sum = bytes.subarray(0, CHECKSUM_BYTES);
  const text = bytes.subarray(CHECKSUM_BYTES);
  // Node.js's decoder ignores invalid characters, so reject all but the canonical encoding.
  const isIntact =
    bytes.toString("base64url") === cursor && sum.equals(computeChecksum(scope, text));
  const result = isIntact ? schema.safeParse(parseJson(text)) : undefined;
  if (result?.success) return result.data;
  throw createInvalidCursorError(cursor);
}

function computeChecksum(scope: string, text: Buffer): Buffer {
  const hash = createHash("sha256").update(JSON.stringify(scope)).update(text);
  return hash.digest().subarray(0, CHECKSUM_BYTES);
}

/** Undefined when the text is not JSON: a forged cursor can have a valid checksum. */
function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"));
  } catch {
    return undefined;
  }
}

function createInvalidCursorError(cursor: string): GgufdError {
  const expected = "expected the next_cursor of a page with the same sort and filters";
  const reason = `${expected}, got ${preview(cursor)}`;
  return createRefusal("invalid_cursor", [{ field: "cursor", reason }]);
}
