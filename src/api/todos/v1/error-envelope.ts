import type { GgufdError } from "../../../core/errors.js";
import type { ErrorBody } from "./schema.js";

/** Where the list with the family's conventions lives. */
export const V1_TODOS_PATH = "/v1/todos";

/** An error in the envelope of the specification's section 2, its code in upper snake case. */
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
