import { createRefusal } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";
import {
  type ItemResponse,
  itemResponse,
  type OutputItem,
  outputItem,
  type StoredItem,
} from "./item-schema.js";
import { upgradeItem } from "./parse-stored-item.js";
import type { ResponseObject } from "./response-schema.js";

/**
 * Returns the output of a completed response as stored in a conversation: its last item carries the
 * metadata of the response.
 */
export function withResponseMetadata(response: ResponseObject): readonly OutputItem[] {
  const last = response.output.length - 1;
  return response.output.map((item, index) =>
    index === last ? { ...item, response: toResponseMetadata(response) } : item,
  );
}

/**
 * Returns a new item of a conversation with the metadata of the response that generated it, such as
 * in an exported conversation. Items that no response generates have none.
 * @param given item in the request
 * @param path of the item in the request, for errors
 * @throws {GgufdError} `invalid_request`
 */
export function keepResponseMetadata(item: StoredItem, given: unknown, path: string): StoredItem {
  const { response } = upgradeItem(given) as { readonly response?: unknown };
  if (response === undefined || response === null) return item;
  const parsed = itemResponse.safeParse(response);
  if (parsed.success) {
    return isOutput(item) ? { ...item, response: parsed.data } : item;
  }
  const [issue] = parsed.error.issues;
  const field = [path, "response", ...(issue?.path ?? [])].join(".");
  const reason = `expected the response of an item of a conversation, got ${preview(response)}`;
  throw createRefusal("invalid_request", [{ field, reason }]);
}

function isOutput(item: StoredItem): item is OutputItem {
  return outputItem.safeParse(item).success;
}

function toResponseMetadata({
  id,
  model,
  status,
  created_at,
  usage,
  timings,
  error,
}: ResponseObject): ItemResponse {
  return {
    id,
    model,
    status,
    created_at,
    ...(usage && { usage }),
    ...(timings && { timings }),
    error: error?.message ?? null,
  };
}
