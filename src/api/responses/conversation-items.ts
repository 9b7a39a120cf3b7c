import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import { MAX_MESSAGES } from "../../core/prompt-size.js";
import { estimateStoredBytes } from "../../core/stored-bytes.js";
import { oneOf } from "../../validation/fields.js";
import { integerParameter, nonEmptyParameter } from "../../validation/parameters.js";
import { preview } from "../../validation/preview.js";
import type { InputPart, StoredItem } from "./item-schema.js";
import type { ItemList } from "./response-schema.js";

/**
 * Maximum size of a conversation's texts in bytes, including stored items: the maximum of a request
 * body. Without it, a short request could refer to an item of megabytes thousands of times, and its
 * prompt would block all other clients for minutes. Images and audio have separate limits (`media/`).
 */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Rejects a conversation that is too long because of its stored items. Items in a request body are
 * bounded by the limits of bodies.
 * @param stored items that the request only refers to
 * @param requestItems items in the request's body
 * @param field request field that refers to the stored items
 * @throws {GgufdError} `invalid_request`
 */
export function rejectLongConversation(
  stored: readonly StoredItem[],
  requestItems: readonly StoredItem[],
  field: string,
): void {
  if (stored.length === 0) return;
  const items = [...stored, ...requestItems];
  if (items.length <= MAX_MESSAGES && isWithinBytes(items)) return;
  const reason = `expected a conversation of at most ${MAX_MESSAGES} items and ${MAX_BYTES} bytes, got more`;
  throw createRefusal("invalid_request", [{ field, reason }]);
}

/** Stops at the first item that exceeds the limit. */
function isWithinBytes(items: readonly StoredItem[]): boolean {
  let bytes = 0;
  for (const item of items) {
    bytes += estimateStoredBytes(withoutMedia(item));
    if (bytes > MAX_BYTES) return false;
  }
  return true;
}

function withoutMedia(item: StoredItem): StoredItem {
  if (item.type === "message" && item.role !== "assistant") {
    return { ...item, content: item.content.filter(isNoMedia) };
  }
  if (item.type === "mcp_call") return { ...item, images: [] };
  if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") return item;
  if (typeof item.output === "string") return item;
  return { ...item, output: item.output.filter(isNoMedia) };
}

function isNoMedia({ type }: InputPart): boolean {
  return type !== "input_image" && type !== "input_audio";
}

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** Query of a list of items. */
export const itemListQuery = z.looseObject({
  limit: integerParameter(1, MAX_LIMIT)
    .optional()
    .meta({ description: `Maximum number of items. Default: ${DEFAULT_LIMIT}.` }),
  order: oneOf(["asc", "desc"]).optional().meta({ description: "Default: `desc`, latest first." }),
  after: nonEmptyParameter()
    .optional()
    .meta({ description: "Id of the last item of the previous page." }),
});
export type ItemListQuery = z.output<typeof itemListQuery>;

/**
 * Returns one page of a list of items.
 * @param items complete list, earliest first
 * @throws {GgufdError} `invalid_request` if `after` is not the id of an item in the list
 */
export function toItemList(
  items: readonly StoredItem[],
  { limit = DEFAULT_LIMIT, order = "desc", after }: ItemListQuery,
): ItemList {
  const orderedItems = order === "asc" ? items : items.toReversed();
  const start = after === undefined ? 0 : orderedItems.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    const reason = `expected the id of an item of this list, got ${preview(after)}`;
    throw createRefusal("invalid_request", [{ field: "after", reason }]);
  }
  const data = orderedItems.slice(start, start + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? "",
    last_id: data.at(-1)?.id ?? "",
    has_more: start + limit < orderedItems.length,
  };
}
