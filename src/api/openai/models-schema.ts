import { z } from "zod";
import { cursorParameter, LARGEST_PAGE, pagination } from "../../validation/pagination.js";
import { integerParameter } from "../../validation/parameters.js";
import { model } from "./response-schema.js";

/** OpenAI's list, and the specification's `pagination`. */
export const modelList = z
  .object({ object: z.literal("list"), data: z.array(model), pagination })
  .meta({ id: "ModelList", description: "A page of the models that are served." });
export type ModelList = z.infer<typeof modelList>;

/** The query of the list. Parameters that are unknown are ignored, as everywhere in this dialect. */
export const modelListQuery = z.object({
  limit: integerParameter(1, LARGEST_PAGE)
    .default(LARGEST_PAGE)
    .meta({
      description: "Models of a page at most.",
      example: 20,
      override: { default: LARGEST_PAGE },
    }),
  cursor: cursorParameter(),
});
export type ModelListQuery = z.infer<typeof modelListQuery>;
