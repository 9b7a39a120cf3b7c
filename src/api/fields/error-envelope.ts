import { z } from "zod";
import type { ErrorDetail, GgufdError } from "../../core/errors.js";

/**
 * Body of an error: OpenAI's four fields, the specification's `details` and `request_id`, and
 * llama-server's token counts of a prompt that is too long.
 */
export interface ErrorEnvelope {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly details: readonly ErrorDetail[];
    readonly request_id: string;
    readonly n_prompt_tokens?: number;
    readonly n_ctx?: number;
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
      ...(error.exceeded && {
        n_prompt_tokens: error.exceeded.promptTokens,
        n_ctx: error.exceeded.contextSize,
      }),
    },
  };
}

/** Schema of {@link ErrorEnvelope}. */
export const openAiError = z
  .object({
    error: z.object({
      message: z.string().meta({ description: "The expected value and the received one." }),
      type: z.string().meta({
        description: "OpenAI's error type, or llama-server's `exceed_context_size_error`.",
      }),
      param: z.string().nullable().meta({ description: "The first invalid field." }),
      code: z.string().meta({ description: "Machine-readable, in lower snake case." }),
      details: z
        .array(z.object({ field: z.string(), reason: z.string() }))
        .meta({ description: "Every invalid field." }),
      request_id: z.string().meta({ description: "The header `X-Request-Id`." }),
      n_prompt_tokens: z.int().nonnegative().optional().meta({
        description:
          "Tokens of a prompt that is too long. A lower bound if it was rejected before it was tokenised.",
      }),
      n_ctx: z.int().nonnegative().optional().meta({
        description: "Maximum number of tokens of one request. Present with `n_prompt_tokens`.",
      }),
    }),
  })
  .meta({ id: "OpenAiError" });
