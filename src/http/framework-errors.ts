import type { FastifyRequest } from "fastify";
import { GgufdError, toClientError } from "../core/errors.js";
import { requestLimits } from "./limits.js";

/**
 * Converts any value thrown by a request handler to an error of the catalogue. Fastify's own
 * request errors get the catalogue's codes and messages; everything else becomes `internal_error`.
 */
export function toCatalogueError(error: unknown, request: FastifyRequest): GgufdError {
  if (!(error instanceof Error) || error instanceof GgufdError || !("statusCode" in error)) {
    return toClientError(error);
  }
  switch (error.statusCode) {
    case 400:
      return new GgufdError("invalid_request", error.message, { cause: error });
    case 413: {
      const maxBytes = request.routeOptions.bodyLimit;
      const message = `body: expected at most ${maxBytes} bytes, got more.`;
      return new GgufdError("payload_too_large", message, { cause: error });
    }
    case 414: {
      const message = `url: expected at most ${requestLimits.pathParameterChars} characters in each part of the path, got more.`;
      return new GgufdError("url_too_long", message, { cause: error });
    }
    case 415: {
      const received = request.headers["content-type"] || "none";
      const message = `content-type: expected application/json, got ${received}.`;
      return new GgufdError("unsupported_media_type", message, { cause: error });
    }
    default:
      return toClientError(error);
  }
}
