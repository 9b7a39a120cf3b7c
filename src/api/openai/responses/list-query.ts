import { z } from "zod";
import { refusalOf } from "../../../core/errors.js";
import { oneOf } from "../../../validation/fields.js";
import {
  booleanParameter,
  integerParameter,
  nonEmptyParameter,
} from "../../../validation/parameters.js";
import { preview } from "../../../validation/preview.js";
import type { ItemList, StoredItem } from "./response-schema.js";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The query of a list of items. */
export const itemListQuery = z.looseObject({
  limit: integerParameter(1, MAX_LIMIT)
    .optional()
    .meta({ description: `Maximum number of items. Default: ${DEFAULT_LIMIT}.` }),
  order: oneOf(["asc", "desc"])
    .optional()
    .meta({ description: "Default: desc, the latest first." }),
  after: nonEmptyParameter()
    .optional()
    .meta({ description: "The id of the last item of the previous page." }),
});
export type ItemListQuery = z.output<typeof itemListQuery>;

/** The query of a response. */
export const responseQuery = z.looseObject({
  stream: booleanParameter().optional().meta({
    description: "true: its events, if it was created with `background` and `stream`.",
  }),
  starting_after: integerParameter(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: "The `sequence_number` of the last event that is already known." }),
});

/**
 * A page of items.
 * @param items the earliest first
 * @throws {GgufdError} `invalid_request` if `after` is none of them
 */
export function toItemList(
  items: readonly StoredItem[],
  { limit = DEFAULT_LIMIT, order = "desc", after }: ItemListQuery,
): ItemList {
  const ordered = order === "asc" ? items : items.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    const reason = `expected the id of an item of this list, got ${preview(after)}`;
    throw refusalOf("invalid_request", [{ field: "after", reason }]);
  }
  const data = ordered.slice(start, start + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? "",
    last_id: data.at(-1)?.id ?? "",
    has_more: start + limit < ordered.length,
  };
}
