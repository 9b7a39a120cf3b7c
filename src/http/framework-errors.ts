import { GgufdError, toClientError } from "../core/errors.js";

interface FrameworkError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
}

/**
 * Anything thrown while a request was handled, as an error of the catalogue. Fastify's own errors
 * about bad requests are put into our words; everything else becomes `internal_error`.
 */
export function toCatalogueError(error: unknown): GgufdError {
  if (!(error instanceof Error) || error instanceof GgufdError) return toClientError(error);
  const { code, statusCode, message } = error as FrameworkError;
  switch (code) {
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
      return new GgufdError("invalid_json", "body: expected JSON, got nothing.");
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return new GgufdError("invalid_json", "body: expected JSON, got text that cannot be parsed.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new GgufdError(
        "unsupported_media_type",
        "content-type: expected application/json, got another type.",
      );
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new GgufdError("payload_too_large", "body: larger than this server accepts.");
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new GgufdError("invalid_request", message, { cause: error });
  }
  return toClientError(error);
}
