import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { onRequestAsyncHookHandler } from "fastify";
import { GgufdError } from "../core/errors.js";

/**
 * A hook that lets only requests with one of the keys pass, as `Authorization: Bearer` or
 * `x-api-key`. Without keys everyone passes. Comparison takes the same time for every key.
 */
export function requireApiKey(keys: readonly string[]): onRequestAsyncHookHandler {
  const digests = keys.map(digest);
  return async ({ headers, method }) => {
    if (digests.length === 0 || method === "OPTIONS") return;
    const key = presentedKey(headers);
    if (key === undefined) {
      throw new GgufdError(
        "invalid_api_key",
        "No API key: expected an Authorization header of the form `Bearer KEY`, or x-api-key.",
      );
    }
    if (!isOneOf(digest(key), digests)) {
      throw new GgufdError("invalid_api_key", "The API key is not one of this server's.");
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
