import type { z } from "zod";
import type { ZodOpenApiRequestBodyObject } from "zod-openapi";
import { JSON_TYPE } from "./responses.js";

/** Default limits of request bodies. */
const LIMITS = "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.";

/** Describes a JSON body. */
export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
): ZodOpenApiRequestBodyObject {
  return {
    required: true,
    description: LIMITS,
    content: { [JSON_TYPE]: { schema, example } },
  };
}

/** Describes a JSON body with several named examples. */
export function jsonBodyWith<Schema extends z.ZodType>(
  schema: Schema,
  examples: Readonly<Record<string, { readonly summary: string; readonly value: z.input<Schema> }>>,
): ZodOpenApiRequestBodyObject {
  return {
    required: true,
    description: LIMITS,
    content: { [JSON_TYPE]: { schema, examples } },
  };
}

/**
 * Describes a multipart form with a file.
 * @param example values of the text fields, and a placeholder for the file
 */
export function formBody(
  schema: z.ZodType,
  example: Readonly<Record<string, string>>,
): ZodOpenApiRequestBodyObject {
  return {
    required: true,
    description:
      "At most 32 fields: one file of at most 20 MiB (`--max-media-file`), and texts of at most 64 KiB.",
    content: { "multipart/form-data": { schema, example } },
  };
}
