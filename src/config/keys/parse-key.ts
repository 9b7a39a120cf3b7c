import { createHash } from "node:crypto";
import { type ApiKey, scopes } from "../../core/api-keys.js";
import type { KeyAttributes } from "./attributes.js";

/** A hash that stands for a key in the key file. */
export const HASH_PREFIX = "sha256:";
/** Digits of a hash that name a key without a name: they do not tell which key it is. */
const NAME_DIGITS = 8;

/** @returns `undefined`: it begins as a hash, and is none */
export function sha256Of(written: string): string | undefined {
  if (!written.startsWith(HASH_PREFIX)) return hashOf(written);
  const digits = written.slice(HASH_PREFIX.length).toLowerCase();
  return /^[\da-f]{64}$/.test(digits) ? digits : undefined;
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
