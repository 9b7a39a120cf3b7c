import type { FastifyRequest } from "fastify";
import { GgufdError, toClientError } from "../core/errors.js";

/**
 * Anything thrown while a request was handled, as an error of the catalogue. What Fastify itself
 * finds wrong with a request is put into our words; everything else becomes `internal_error`.
 */
export function toCatalogueError(error: unknown, request: FastifyRequest): GgufdError {
  if (!(error instanceof Error) || error instanceof GgufdError || !("statusCode" in error)) {
    return toClientError(error);
  }
  switch (error.statusCode) {
    case 400:
      return new GgufdError("invalid_request", error.message, { cause: error });
    case 413: {
      const limit = request.routeOptions.bodyLimit;
      const message = `body: expected at most ${limit} bytes, got more.`;
      return new GgufdError("payload_too_large", message, { cause: error });
    }
    case 415: {
      const got = request.headers["content-type"] || "none";
      const message = `content-type: expected application/json, got ${got}.`;
      return new GgufdError("unsupported_media_type", message, { cause: error });
    }
    default:
      return toClientError(error);
  }
}
