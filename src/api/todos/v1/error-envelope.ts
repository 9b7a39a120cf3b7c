import type { GgufdError } from "../../../core/errors.js";
import type { ErrorBody } from "./schema.js";

/** Path of the to-do resource with the specification's conventions. */
export const V1_TODOS_PATH = "/v1/todos";

/**
 * Converts an error to the envelope of the specification, section 2, with its code in upper snake
 * case.
 */
export function toConventionalEnvelope(error: GgufdError, requestId: string): ErrorBody {
  return {
    error: {
      code: error.code.toUpperCase(),
      message: error.message,
      details: [...error.details],
      request_id: requestId,
    },
  };
}
