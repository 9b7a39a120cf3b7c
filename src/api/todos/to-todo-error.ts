import { GgufdError, toClientError } from "../../core/errors.js";
import { bodyMaxBytes } from "./schema.js";

/**
 * Anything thrown while a todo request is answered, as an error that the client may see. The HTTP
 * library tells by `statusCode` what it found wrong with a body before a route saw it.
 *
 * @param contentType the request's header, for the message of a 415
 */
export function toTodoError(error: unknown, contentType: string | undefined): GgufdError {
  if (!(error instanceof Error) || error instanceof GgufdError || !("statusCode" in error)) {
    return toClientError(error);
  }
  switch (error.statusCode) {
    case 400:
      return new GgufdError("invalid_request", error.message, { cause: error });
    case 413: {
      const message = `body: expected at most ${bodyMaxBytes} bytes, got more`;
      return new GgufdError("payload_too_large", message, { cause: error });
    }
    case 415: {
      const message = `Content-Type: expected application/json, got ${contentType || "none"}`;
      return new GgufdError("unsupported_media_type", message, { cause: error });
    }
    default:
      return toClientError(error);
  }
}
