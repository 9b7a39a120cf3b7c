import type { z } from "zod";
import type { ZodOpenApiRequestBodyObject } from "zod-openapi";
import { JSON_TYPE } from "../description/answers.js";

/** The body of a request that changes an item. */
export function bodyOf<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
): ZodOpenApiRequestBodyObject {
  return {
    required: true,
    description: "At most 128 KiB.",
    content: { [JSON_TYPE]: { schema, example } },
  };
}
