/** What the descriptions of responses and conversations have in common. */
import { z } from "zod";
import { GgufdError, refusalOf } from "../../../core/errors.js";
import {
  invalidJson,
  keyErrors,
  missingScope,
  readOnlyApiKey,
  unsupportedMediaType,
  unsupportedVersion,
} from "../../description/example-errors.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ItemList, StoredItem } from "./response-schema.js";

export const responsesTag = "Responses";

/** The id in a path. */
export function idPath(example: string) {
  return z.object({ id: z.string().meta({ example }) });
}

export const versionHeader = z.object(versionHeaders);

/** Errors of every operation that changes nothing. */
export const readErrors = [
  unsupportedVersion,
  ...keyErrors,
  missingScope("inference", "GET /v1/responses/:id"),
];

/** Errors of every operation that has, or might have, a body. */
export const changeErrors = [
  unsupportedVersion,
  ...keyErrors,
  invalidJson,
  readOnlyApiKey,
  new GgufdError("payload_too_large", "body: expected at most 4194304 bytes, got more."),
  unsupportedMediaType,
];

export const notFound = new GgufdError(
  "not_found",
  "Response with id 'resp_1' not found: it was not stored, or is stored no more.",
);

export const itemNotFound = new GgufdError(
  "not_found",
  "Item with id 'msg_1' not found: it was not stored, or is stored no more. Send the item itself.",
  { param: "input.0.id" },
);

/** An error for a field. */
export function invalid(field: string, reason: string): GgufdError {
  return refusalOf("invalid_request", [{ field, reason }]);
}

export const exampleItem: StoredItem = {
  type: "message",
  id: "msg_2f6b",
  role: "user",
  status: "completed",
  content: [{ type: "input_text", text: "Hello! Who are you?" }],
};

export const exampleItemList: ItemList = {
  object: "list",
  data: [exampleItem],
  first_id: "msg_2f6b",
  last_id: "msg_2f6b",
  has_more: false,
};
