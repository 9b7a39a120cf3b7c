import { createHash } from "node:crypto";
import { type ApiKey, scopes } from "../../core/api-keys.js";
import type { KeyAttributes } from "./attributes.js";

/** A hash that stands for a key in the key file. */
export const HASH_PREFIX = "sha256:";
/** Longer than any that is generated; a request's header lines have room for it. */
const MAX_KEY_CHARACTERS = 1024;
/** Digits of a hash that name a key without a name: they do not tell which key it is. */
const NAME_DIGITS = 8;

/** A key as it was written, or why it is none: what was expected and what came, without the key. */
export type ReadKey = { readonly sha256: string } | { readonly wrong: string };

/**
 * Reads a key, or the hash of one. A key consists of the visible characters of ASCII: a header cannot
 * carry others unchanged (RFC 9110, section 5.5), so that no client could ever present them.
 */
export function readKey(written: string): ReadKey {
  if (written.startsWith(HASH_PREFIX)) {
    const digits = written.slice(HASH_PREFIX.length).toLowerCase();
    if (/^[\da-f]{64}$/.test(digits)) return { sha256: digits };
    return { wrong: `expected 64 hexadecimal digits after ${HASH_PREFIX}, got something else` };
  }
  if (written === "" || written.length > MAX_KEY_CHARACTERS) {
    return { wrong: `expected 1 to ${MAX_KEY_CHARACTERS} characters, got ${written.length}` };
  }
  const index = written.search(/[^!-~]/);
  if (index < 0) return { sha256: hashOf(written) };
  const point = written.codePointAt(index)?.toString(16).toUpperCase().padStart(4, "0");
  return {
    wrong: `expected visible ASCII characters, got U+${point} as character ${index + 1}`,
  };
}

/** SHA-256 as hexadecimal digits. */
export function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** A key with its attributes, and defaults for those that are not given. */
export function apiKeyOf(sha256: string, attributes: Partial<KeyAttributes> = {}): ApiKey {
  return {
    sha256,
    name: `key-${sha256.slice(0, NAME_DIGITS)}`,
    scopes,
    access: "full",
    weight: 1,
    limits: {},
    ...attributes,
  };
}
