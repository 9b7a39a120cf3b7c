/** Example errors shared by several API descriptions. */
import type { Scope } from "../../core/api-keys.js";
import { createRefusal, createShutdownError, GgufdError } from "../../core/errors.js";

export const internalError = new GgufdError(
  "internal_error",
  "The server failed to answer this request.",
);

const missingApiKey = new GgufdError(
  "invalid_api_key",
  "Missing API key: send the header `Authorization: Bearer KEY` or `x-api-key: KEY`.",
);

export const readOnlyApiKey = new GgufdError(
  "permission_denied",
  "The API key is read-only: expected GET or HEAD, got POST.",
);

const rateLimitError = new GgufdError(
  "rate_limit_exceeded",
  "requests-per-minute: expected at most 60 in a minute with the API key alice, got more.",
  { retryAfterSeconds: 1 },
);

/** The token of a user cannot be verified. */
export const unavailableIdentity = new GgufdError(
  "identity_unavailable",
  "The identity provider is unavailable, so the token cannot be verified.",
  { retryAfterSeconds: 5 },
);

/** Errors of every route that requires a key. */
export const keyErrors = [missingApiKey, rateLimitError, unavailableIdentity];

/** Error of every route of which a model computes the answer. */
export const exhaustedBudget = new GgufdError(
  "insufficient_quota",
  "tokens-per-day: expected at most 1000000 tokens in a UTC day with the API key alice, used 1000250; it renews at 2026-01-01T00:00:00Z.",
  { retryAfterSeconds: 3600 },
);

/**
 * Creates the example of `permission_denied` for a GET route. For routes with other methods, the
 * example is {@link readOnlyApiKey}.
 */
export function createMissingScopeError(scope: Scope, route: string): GgufdError {
  return new GgufdError(
    "permission_denied",
    `The API key does not have the scope ${scope}, which ${route} needs.`,
  );
}

export const unsupportedVersion = createRefusal("unsupported_version", [
  { field: "accept-version", reason: 'expected v1, got "v2"' },
]);

export const invalidCursor = createRefusal("invalid_cursor", [
  {
    field: "cursor",
    reason: 'expected the next_cursor of a page with the same sort and filters, got "x"',
  },
]);

export const invalidJson = new GgufdError(
  "invalid_json",
  "body: expected JSON: Unexpected end of JSON input.",
);

/** @param part the complete body, or a part with a separate limit */
export function createTooLargeError(part: string, maxBytes: number): GgufdError {
  const message = `${part}: expected at most ${maxBytes} bytes, got more.`;
  return new GgufdError("payload_too_large", message);
}

/** @param expected description of the bodies that the route accepts */
export function createMediaTypeError(expected: string): GgufdError {
  return new GgufdError(
    "unsupported_media_type",
    `content-type: expected ${expected}, got text/plain.`,
  );
}

/** Errors of a change that cannot be stored. */
export const storageErrors: readonly GgufdError[] = [
  new GgufdError(
    "storage_unavailable",
    "The change could not be stored: the storage is not writable.",
    { retryAfterSeconds: 5 },
  ),
  createShutdownError(),
  new GgufdError("storage_full", "The change could not be stored: the disk is full."),
];

/** Errors of a change that waits for others, and is stored with them. */
export const groupCommitErrors: readonly GgufdError[] = [
  new GgufdError(
    "too_many_changes",
    "Expected at most 10000 changes to wait for the disk, got one more.",
    { retryAfterSeconds: 1 },
  ),
  ...storageErrors,
];
