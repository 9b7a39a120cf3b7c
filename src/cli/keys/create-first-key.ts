import { type AttributeTexts, buildWrittenKey } from "../../config/keys/key-line.js";
import { createKey } from "../../config/keys/new-key.js";
import { GgufdError } from "../../core/errors.js";
import { StartupError } from "../../core/startup-error.js";
import { openKeyStore } from "../../keys/key-store.js";
import type { PrintedKey } from "./manage-keys.js";

export interface NewKeyArguments {
  /** Path of the key store's file. */
  readonly path: string;
  readonly name: string;
  /** As in the key file. */
  readonly attributes: AttributeTexts;
  /** In seconds since 1970; undefined: never. */
  readonly expires: number | undefined;
}

/** Author of the change in the audit log. No API key has a name with a space. */
const AUTHOR = "ggufd keys";

/**
 * Creates a key in the file of a daemon that is not running: a server starts only with a key that
 * may create others.
 * @throws {StartupError} an attribute is invalid, another key has the name, or the file is in use
 */
export async function createFirstKey({
  path,
  name,
  attributes,
  expires,
}: NewKeyArguments): Promise<PrintedKey> {
  const { value, ...stored } = createKey();
  buildWrittenKey(stored.sha256, { ...attributes, name }, "--");
  const store = await openKeyStore(path, {
    hasConfiguredManager: () => true,
    onChange: () => undefined,
  });
  try {
    const expiresAt = expires === undefined ? undefined : expires * 1000;
    await store.create({ name, value: stored, attributes, expiresAt }, { by: AUTHOR });
  } catch (error) {
    if (!(error instanceof GgufdError)) throw error;
    throw new StartupError(`--key-store ${path}: ${error.message}`, error);
  } finally {
    await store.close();
  }
  return {
    text: `${value}\n`,
    notice: `Created ${name} in ${path}. The key is not shown again.\n`,
  };
}
