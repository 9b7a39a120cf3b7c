import { z } from "zod";
import { textParameter } from "./parameters.js";

/** Most items of a page: specification, section 8. */
export const LARGEST_PAGE = 100;

/** Where a list goes on: specification, section 2. */
export const pagination = z
  .object({
    next_cursor: z.string().nullable().meta({
      description: "The `cursor` of the next page; null on the last one.",
      example: null,
    }),
    has_more: z.boolean().meta({ description: "Whether there is a next page.", example: false }),
  })
  .meta({ id: "Pagination", description: "Where the list goes on." });
export type Pagination = z.infer<typeof pagination>;

/** Where a page begins. */
export function cursorParameter() {
  return textParameter().optional().meta({
    description: "The `next_cursor` of the page before, with the same sort and filters.",
  });
}

/** @param nextCursor undefined on the last page */
export function paginationOf(nextCursor: string | undefined): Pagination {
  return { next_cursor: nextCursor ?? null, has_more: nextCursor !== undefined };
}
