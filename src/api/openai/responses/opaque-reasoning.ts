import { refusalOf } from "../../../core/errors.js";
import { preview } from "../../../validation/preview.js";

/** What makes our own texts known; another server's are encrypted, and nothing to us. */
const PREFIX = "ggufd-reasoning-1.";

/**
 * Reasoning as `encrypted_content`, for clients that keep nothing else of it. It is opaque, but not
 * encrypted: the same text is in the response.
 */
export function toOpaqueReasoning(text: string): string {
  return PREFIX + Buffer.from(text, "utf8").toString("base64url");
}

/**
 * The reasoning in an `encrypted_content`.
 * @param field the path of the text in the request
 * @throws {GgufdError} `invalid_request` for a text of another server
 */
export function fromOpaqueReasoning(opaque: string, field: string): string {
  if (opaque.startsWith(PREFIX)) {
    return Buffer.from(opaque.slice(PREFIX.length), "base64url").toString("utf8");
  }
  const reason = `expected the encrypted_content of a response of this server, got ${preview(opaque)}`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}
