/** Example errors that the descriptions of several dialects share. */
import { GgufdError, refusalOf } from "../../core/errors.js";

export const internalError = new GgufdError(
  "internal_error",
  "The server failed to answer this request.",
);

export const missingApiKey = new GgufdError(
  "invalid_api_key",
  "No API key: expected an Authorization header of the form `Bearer KEY`, or x-api-key.",
);

export const readOnlyApiKey = new GgufdError(
  "permission_denied",
  "The API key is read-only: expected GET or HEAD, got POST.",
);

export const unsupportedVersion = refusalOf("unsupported_version", [
  { field: "accept-version", reason: 'expected v1, got "v2"' },
]);

export const invalidCursor = refusalOf("invalid_cursor", [
  {
    field: "cursor",
    reason: 'expected the next_cursor of a page with the same sort and filters, got "x"',
  },
]);

export const invalidJson = new GgufdError(
  "invalid_json",
  "body: expected JSON: Unexpected end of JSON input.",
);

export const unsupportedMediaType = new GgufdError(
  "unsupported_media_type",
  "content-type: expected application/json, got text/plain.",
);
