import { z } from "zod";
import type { SortField, SortKey } from "../../../todos/todo.js";

/** The store's sort field for each field name of the API. */
const sortFieldOf = {
  id: "id",
  title: "title",
  completed: "completed",
  created_at: "createdAt",
  updated_at: "updatedAt",
} as const satisfies Record<string, SortField>;

const names = Object.keys(sortFieldOf);
const sortError = `expected fields of ${names.join(", ")}, each once, by comma, - before one for descending`;
const element = `-?(${names.join("|")})`;

/** The order of a list, the most significant field first: `-completed,title`. */
export const sort = z
  .string({ error: sortError })
  .regex(new RegExp(`^${element}(,${element})*$`), { error: sortError })
  .transform((text) => text.split(",").map(toSortKey))
  .refine((keys) => new Set(keys.map(({ field }) => field)).size === keys.length, {
    error: sortError,
  });

function toSortKey(text: string): SortKey {
  const name = text.replace("-", "") as keyof typeof sortFieldOf;
  return {
    field: sortFieldOf[name],
    direction: text.startsWith("-") ? "descending" : "ascending",
  };
}
