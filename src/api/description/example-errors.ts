/** Errors that requests of several dialects may be answered, as their descriptions show them. */
import { GgufdError, refusalOf } from "../../core/errors.js";

export const failure = new GgufdError(
  "internal_error",
  "The server failed to answer this request.",
);

export const missingKey = new GgufdError(
  "invalid_api_key",
  "No API key: expected an Authorization header of the form `Bearer KEY`, or x-api-key.",
);

export const readOnlyKey = new GgufdError(
  "permission_denied",
  "The API key is read-only: expected GET or HEAD, got POST.",
);

export const wrongVersion = refusalOf("unsupported_version", [
  { field: "accept-version", reason: 'expected v1, got "v2"' },
]);

export const wrongCursor = refusalOf("invalid_cursor", [
  {
    field: "cursor",
    reason: 'expected the next_cursor of a page with the same sort and filters, got "x"',
  },
]);

export const brokenJson = new GgufdError(
  "invalid_json",
  "body: expected JSON: Unexpected end of JSON input.",
);

export const wrongMediaType = new GgufdError(
  "unsupported_media_type",
  "content-type: expected application/json, got text/plain.",
);
