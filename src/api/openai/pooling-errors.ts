import { GgufdError } from "../../core/errors.js";
import {
  internalError,
  invalidJson,
  keyErrors,
  readOnlyApiKey,
  unsupportedMediaType,
} from "../description/example-errors.js";
import { noModelErrors, unknownModel } from "./openapi.js";

/**
 * Errors of every request for vectors or scores, beside those of its fields.
 * @param param the field of an input that is too long
 */
export function poolingErrors(param: string): readonly GgufdError[] {
  return [
    invalidJson,
    new GgufdError(
      "context_length_exceeded",
      `${param}: expected at most 512 tokens, which is what this model reads at once, got 600.`,
      { param },
    ),
    ...keyErrors,
    readOnlyApiKey,
    unknownModel,
    new GgufdError("payload_too_large", "body: expected at most 4194304 bytes, got more."),
    unsupportedMediaType,
    internalError,
    ...noModelErrors,
    new GgufdError("server_overloaded", "The server is overloaded: 256 requests are waiting.", {
      retryAfterSeconds: 4,
    }),
  ];
}
