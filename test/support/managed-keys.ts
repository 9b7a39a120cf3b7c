import { join } from "node:path";
import { onTestFinished } from "vitest";
import { GROUP_PREFIX, parseGroupLine, parseKeyLine } from "../../src/config/keys/key-line.js";
import { KeyRing } from "../../src/http/keys/key-ring.js";
import type { KeyStore } from "../../src/keys/key-store.js";
import { ServedBudgets } from "../../src/serve/served-budgets.js";
import { openServedKeys, type ServedKeys } from "../../src/serve/served-keys.js";
import { temporaryFolder } from "./temporary-folder.js";

/** All keys of a server, and the store that has some of them. */
export interface ManagedKeys extends ServedKeys {
  readonly store: KeyStore;
  /** Path of the store's file. */
  readonly path: string;
}

/** The key of an administrator, as a line of the key file. */
export const ADMIN_LINE = "root-key name=root";

/**
 * Opens an empty key store, with keys of the configuration, as the daemon does.
 * @param keyLines as in the key file
 */
export async function openKeysAt(
  path: string,
  keyLines: readonly string[] = [ADMIN_LINE],
): Promise<ManagedKeys> {
  const isGroup = (line: string) => line.startsWith(GROUP_PREFIX);
  const keys = keyLines.flatMap((line, index) =>
    isGroup(line) ? [] : [parseKeyLine(line, `--api-key-file keys: line ${index + 1}`)],
  );
  const groups = keyLines.filter(isGroup).map((line) => parseGroupLine(line, "a test's group"));
  const budgets = new ServedBudgets({ keys, groups, budgetAt: undefined });
  const ring = new KeyRing(keys, undefined, budgets.ledger);
  const store = await openServedKeys({ keyStore: path }, { ring, budgets });
  if (store === undefined) throw new Error("expected a key store");
  return { ring, budgets, store, path };
}

/** Opens one in a temporary folder, for a test. */
export async function openManagedKeys(keyLines?: readonly string[]): Promise<ManagedKeys> {
  const opened = await openKeysAt(join(await temporaryFolder(), "keys.jsonl"), keyLines);
  onTestFinished(() => opened.store.close());
  return opened;
}
