import { z } from "zod";
import { cursorParameter, MAX_PAGE_SIZE, pagination } from "../../validation/pagination.js";
import { integerParameter } from "../../validation/parameters.js";
import { model } from "./response-schema.js";

/** OpenAI's model list with the specification's `pagination`. */
export const modelList = z
  .object({ object: z.literal("list"), data: z.array(model), pagination })
  .meta({ id: "ModelList", description: "A page of the served models." });
export type ModelList = z.infer<typeof modelList>;

/** The query of the list. Unknown parameters are ignored, as everywhere in this dialect. */
export const modelListQuery = z.object({
  limit: integerParameter(1, MAX_PAGE_SIZE)
    .default(MAX_PAGE_SIZE)
    .meta({
      description: "Maximum number of models in a page.",
      example: 20,
      override: { default: MAX_PAGE_SIZE },
    }),
  cursor: cursorParameter(),
});
export type ModelListQuery = z.infer<typeof modelListQuery>;
