import { z } from "zod";
import { buildWrittenKey } from "../config/keys/key-line.js";
import type { ManagedKey } from "../core/api-keys.js";

/** Milliseconds since 1970. */
const time = z.int().nonnegative();
const hash = z.string().regex(/^[\da-f]{64}$/);

/** A key as it is stored, except for its name. */
export const storedFields = z.strictObject({
  sha256: hash,
  /** Last characters of the value, which identify it to its owner; the value is not stored. */
  ending: z.string(),
  /** Earlier values, accepted until a time; oldest first. */
  former: z.array(z.strictObject({ sha256: hash, until: time })),
  /** Attributes as in the key file, except the name. */
  attributes: z.record(z.string(), z.string()),
  state: z.enum(["enabled", "disabled"]),
  createdAt: time,
  /** Actor that created the key. */
  createdBy: z.string(),
  /** Absent: never. */
  expiresAt: time.optional(),
});

/** A key of the key store. Its name, which owns stored data, never changes. */
export interface StoredKey extends Readonly<z.infer<typeof storedFields>> {
  readonly name: string;
}

/**
 * Returns the key that requests are checked against.
 * @throws {StartupError} for attributes that this version does not support
 */
export function toManagedKey({ name, ...stored }: StoredKey): ManagedKey {
  const { sha256, attributes, state, expiresAt, former } = stored;
  const key = buildWrittenKey(sha256, { name, ...attributes }, `key ${name}: `);
  return { key, state, expiresAt, former };
}
