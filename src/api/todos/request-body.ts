import type { z } from "zod";
import type { ZodOpenApiRequestBodyObject } from "zod-openapi";
import { JSON_TYPE } from "../description/responses.js";

/** Describes the JSON body of a request that changes an item. */
export function jsonRequestBody<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
): ZodOpenApiRequestBodyObject {
  return {
    required: true,
    description: "At most 128 KiB.",
    content: { [JSON_TYPE]: { schema, example } },
  };
}
