import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { onRequestAsyncHookHandler } from "fastify";
import type { ApiKeys } from "../core/api-keys.js";
import { GgufdError } from "../core/errors.js";

const READING = ["GET", "HEAD"];

/**
 * A hook that lets only requests with one of the keys pass, as `Authorization: Bearer` or
 * `x-api-key`, and with a read-only key only those that read. Without keys of either kind everyone
 * passes. Comparison takes the same time for every key.
 */
export function requireApiKey({ full, readOnly }: ApiKeys): onRequestAsyncHookHandler {
  const fullDigests = full.map(digest);
  const readOnlyDigests = readOnly.map(digest);
  const isOpen = full.length + readOnly.length === 0;
  return async ({ headers, method }) => {
    if (isOpen || method === "OPTIONS") return;
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
    if (!isFull && !READING.includes(method)) {
      const message = `The API key is read-only: expected ${READING.join(" or ")}, got ${method}.`;
      throw new GgufdError("permission_denied", message);
    }
  };
}

function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? "")?.[1];
  const header = headers["x-api-key"];
  return bearer ?? (typeof header === "string" ? header : undefined);
}

/** Equal length for all keys, so that nothing about a key shows in the comparison. */
function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function isOneOf(candidate: Buffer, digests: readonly Buffer[]): boolean {
  let found = false;
  for (const known of digests) found = timingSafeEqual(candidate, known) || found;
  return found;
}
