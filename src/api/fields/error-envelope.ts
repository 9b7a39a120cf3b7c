import { z } from "zod";
import type { ErrorDetail, GgufdError } from "../../core/errors.js";

/** Body of an error: OpenAI's four fields, and the specification's `details` and `request_id`. */
export interface ErrorEnvelope {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly details: readonly ErrorDetail[];
    readonly request_id: string;
  };
}

/** Converts an error to OpenAI's format. */
export function toErrorEnvelope(error: GgufdError, requestId: string): ErrorEnvelope {
  return {
    error: {
      message: error.message,
      type: error.type,
      param: error.param ?? null,
      code: error.code,
      details: error.details,
      request_id: requestId,
    },
  };
}

/**
 * Schema of an error body: OpenAI's four fields, and the specification's `details` and
 * `request_id`.
 */
export const openAiError = z
  .object({
    error: z.object({
      message: z.string().meta({ description: "The expected value and the received one." }),
      type: z.string().meta({ description: "OpenAI's error type." }),
      param: z.string().nullable().meta({ description: "The first invalid field." }),
      code: z.string().meta({ description: "Machine-readable, in lower snake case." }),
      details: z
        .array(z.object({ field: z.string(), reason: z.string() }))
        .meta({ description: "Every invalid field." }),
      request_id: z.string().meta({ description: "The header `X-Request-Id`." }),
    }),
  })
  .meta({ id: "OpenAiError" });
