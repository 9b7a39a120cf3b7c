import { z } from "zod";
import { createRefusal, type GgufdError } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";

/** Schema of a page of a list, as in OpenAI's API. */
export function listOf<Entry extends z.ZodType>(entry: Entry, id: string) {
  return z
    .object({
      object: z.literal("list"),
      data: z.array(entry),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    })
    .meta({ id });
}

/** Prints a page of a list. */
export function toList<Entry extends { readonly id: string }>(data: Entry[], hasMore: boolean) {
  return {
    object: "list" as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** Creates the error of a page that begins after an unknown entry. */
export function createUnknownCursorError(after: string | undefined): GgufdError {
  const reason = `expected the id of an entry of this list, got ${preview(after)}`;
  return createRefusal("invalid_request", [{ field: "after", reason }]);
}
