import { refusalOf } from "../../../core/errors.js";
import { MAX_MESSAGES } from "../../../core/prompt-size.js";
import type { StoredItem } from "./response-schema.js";
import { storedBytes } from "./stored-bytes.js";

/**
 * Bytes that a conversation may have, with all that is stored of it: as many as a body may. A short request can refer to
 * an item of megabytes thousands of times; passing such a prompt on would take minutes, in which nobody else is served.
 */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Refuses a conversation that has become too long by what is stored of it. What a request has itself is bounded
 * already.
 * @param stored items that the request does not have itself
 * @param own the request's other items
 * @param field what is at fault
 * @throws {GgufdError} `invalid_request`
 */
export function rejectLongConversation(
  stored: readonly StoredItem[],
  own: readonly StoredItem[],
  field: string,
): void {
  if (stored.length === 0) return;
  const items = [...stored, ...own];
  if (items.length <= MAX_MESSAGES && isWithinBytes(items)) return;
  const reason = `expected a conversation of at most ${MAX_MESSAGES} items and ${MAX_BYTES} bytes, got more`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}

/** Measures no further than to the end of the first item that is too much. */
function isWithinBytes(items: readonly StoredItem[]): boolean {
  let bytes = 0;
  for (const item of items) {
    bytes += storedBytes(item);
    if (bytes > MAX_BYTES) return false;
  }
  return true;
}
