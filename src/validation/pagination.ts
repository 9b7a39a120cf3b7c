import { z } from "zod";
import { textParameter } from "./parameters.js";

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
export function paginationOf(nextCursor: string | undefined): Pagination {
  return { next_cursor: nextCursor ?? null, has_more: nextCursor !== undefined };
}
