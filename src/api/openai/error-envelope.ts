import type { ErrorDetail, GgufdError } from "../../core/errors.js";

/** OpenAI's four error fields and the two of the specification. */
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

/** An error in OpenAI's format. */
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
