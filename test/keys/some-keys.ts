import { createHash } from "node:crypto";
import { onTestFinished } from "vitest";
import type { ExclusiveFilePorts } from "../../src/files/exclusive-file.js";
import type { NewStoredKey } from "../../src/keys/key-changes.js";
import { type KeyStore, type KeyStoreOptions, openKeyStore } from "../../src/keys/key-store.js";

/** Author of all changes. */
export const actor = { by: "root", from: "127.0.0.1" };

/** Stored parts of a value. */
export const storedValue = (text: string) => ({
  sha256: createHash("sha256").update(text).digest("hex"),
  ending: text.slice(-4),
});

/** A key whose value is `NAME-key`. */
export function newKey(name: string, given: Partial<NewStoredKey> = {}): NewStoredKey {
  const value = storedValue(`${name}-key`);
  return { name, value, attributes: {}, expiresAt: undefined, ...given };
}

/** Opens a store for a test. By default, the configuration has a key that may manage the keys. */
export async function openStore(
  path: string,
  options: Partial<KeyStoreOptions> & ExclusiveFilePorts = {},
): Promise<KeyStore> {
  const defaults = { hasConfiguredManager: () => true, onChange: () => undefined };
  const store = await openKeyStore(path, { ...defaults, ...options });
  onTestFinished(() => store.close());
  return store;
}
