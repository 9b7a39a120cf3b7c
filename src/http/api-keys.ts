import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { onRequestAsyncHookHandler } from "fastify";
import type { ApiKeys } from "../core/api-keys.js";
import { GgufdError } from "../core/errors.js";

const READ_METHODS = ["GET", "HEAD"];

/**
 * An authentication hook: requests must present one of the keys, as `Authorization: Bearer` or
 * `x-api-key`; a read-only key permits GET and HEAD only. Without any configured key all requests
 * are accepted. Keys are compared in constant time.
 */
export function requireApiKey({ full, readOnly }: ApiKeys): onRequestAsyncHookHandler {
  const fullDigests = full.map(digest);
  const readOnlyDigests = readOnly.map(digest);
  const isAuthDisabled = full.length + readOnly.length === 0;
  return async ({ headers, method }) => {
    if (isAuthDisabled || method === "OPTIONS") return;
    const key = presentedKey(headers);
    if (key === undefined) {
      throw new GgufdError(
        "invalid_api_key",
        "No API key: expected an Authorization header of the form `Bearer KEY`, or x-api-key.",
      );
    }
    const candidate = digest(key);
    const isFull = isOneOf(candidate, fullDigests);
    const isReadOnly = isOneOf(candidate, readOnlyDigests);
    if (!isFull && !isReadOnly) {
      throw new GgufdError("invalid_api_key", "The API key is not one of this server's.");
    }
    if (!isFull && !READ_METHODS.includes(method)) {
      throw new GgufdError(
        "permission_denied",
        `The API key is read-only: expected ${READ_METHODS.join(" or ")}, got ${method}.`,
      );
    }
  };
}

function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? "")?.[1];
  const header = headers["x-api-key"];
  return bearer ?? (typeof header === "string" ? header : undefined);
}

/** A fixed-length digest, so that the constant-time comparison does not leak the key's length. */
function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function isOneOf(candidate: Buffer, digests: readonly Buffer[]): boolean {
  let found = false;
  for (const accepted of digests) found = timingSafeEqual(candidate, accepted) || found;
  return found;
}
