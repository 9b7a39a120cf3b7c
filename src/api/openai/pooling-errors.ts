import { GgufdError } from "../../core/errors.js";
import { internalError } from "../description/example-errors.js";
import { noModelErrors, unknownModel } from "./described-errors.js";

/**
 * Errors of every request for vectors or scores, beside those of its fields.
 * @param param the field of an input that is too long
 */
export function poolingErrors(param: string): readonly GgufdError[] {
  return [
    new GgufdError(
      "context_length_exceeded",
      `${param}: expected at most 512 tokens, which is what this model reads at once, got 600.`,
      { param },
    ),
    unknownModel,
    internalError,
    ...noModelErrors,
    new GgufdError("server_overloaded", "The server is overloaded: 256 requests are waiting.", {
      retryAfterSeconds: 4,
    }),
  ];
}
