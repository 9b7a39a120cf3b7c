/** What the routes of responses and conversations have in common. */
import { z } from "zod";
import { GgufdError, refusalOf } from "../../../core/errors.js";

/** The id in a path. */
export function idPath(example: string) {
  return z.object({ id: z.string().meta({ example }) });
}

/** The id in the path of a request. */
export function idOf({ params }: { readonly params: unknown }): string {
  return (params as z.output<ReturnType<typeof idPath>>).id;
}

/** An error for a reference to an item. */
export const itemNotFound = new GgufdError(
  "not_found",
  "Item with id 'msg_1' not found: it was not stored, or is stored no more. Send the item itself.",
  { param: "input.0.id" },
);

/** An error for a field. */
export function invalid(field: string, reason: string): GgufdError {
  return refusalOf("invalid_request", [{ field, reason }]);
}

/** An error for the query of a list of items. */
export const invalidLimit = invalid("limit", 'expected an integer from 1 to 100, got "1000"');
