import { randomBytes } from "node:crypto";
import { computeKeyHash } from "./key-line.js";

/** Prefix by which secret scanners recognise leaked keys. */
export const KEY_PREFIX = "ggufd_";
const KEY_BYTES = 32;

/** Number of characters at the end of a key that identify it to its owner: 24 of 256 random bits. */
const ENDING_CHARACTERS = 4;

/** A new key, with its stored parts. */
export interface NewKey {
  /** Shown once, and never stored. */
  readonly value: string;
  readonly sha256: string;
  /** Last characters of the value. */
  readonly ending: string;
}

/** Creates a random key. */
export function createKey(): NewKey {
  const value = `${KEY_PREFIX}${randomBytes(KEY_BYTES).toString("base64url")}`;
  return { value, sha256: computeKeyHash(value), ending: value.slice(-ENDING_CHARACTERS) };
}
