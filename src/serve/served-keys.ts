import type { Logger } from "pino";
import { type ConfiguredKeys, readApiKeys } from "../config/keys/read-api-keys.js";
import { type Config, flagOf } from "../config/settings.js";
import { type ApiKey, type ManagedKey, mayManageKeys } from "../core/api-keys.js";
import { createRefusal } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import type { KeyRing } from "../http/keys/key-ring.js";
import { type KeyStore, openKeyStore } from "../keys/key-store.js";
import { toManagedKey } from "../keys/stored-key.js";
import type { ServedBudgets } from "./served-budgets.js";

/** The keys of a running server, with their budgets. */
export interface ServedKeys {
  readonly ring: KeyRing;
  readonly budgets: ServedBudgets;
}

/**
 * Opens the key store. The ring accepts its keys from then on, as they are at each moment.
 * @returns `undefined`: the server has none
 * @throws {StartupError} if the file cannot be used, if two keys are equal or have the same name,
 *   or if no key may manage the keys
 */
export async function openServedKeys(
  { keyStore }: Pick<Config, "keyStore">,
  { ring, budgets }: ServedKeys,
): Promise<KeyStore | undefined> {
  if (keyStore === undefined) return undefined;
  const store = await openKeyStore(keyStore, {
    hasConfiguredManager: () =>
      ring.usages.some(({ key }) => key.location !== undefined && mayManageKeys(key)),
    expectApplicable(key) {
      const problem = budgets.findProblem(key);
      if (problem === undefined) return;
      const { attribute, reason } = problem;
      throw createRefusal("invalid_request", [{ field: attribute.replaceAll("-", "_"), reason }]);
    },
    onChange: (keys) => ring.replaceStored(keys.map(toManagedKey)),
  });
  try {
    const stored = store.keys.map(toManagedKey);
    expectCompatibleKeys(budgets.configured.keys, stored, keyStore);
    ring.replaceStored(stored);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Expects that the server can apply the attributes of all stored keys.
 * @param configured keys and groups of the configuration @default the present ones
 * @throws {StartupError} naming the key and its attribute
 */
export function expectApplicableKeys(
  { keys }: Pick<KeyStore, "keys">,
  budgets: ServedBudgets,
  configured: ConfiguredKeys = budgets.configured,
): void {
  for (const { key } of keys.map(toManagedKey)) {
    const problem = budgets.findProblem(key, configured);
    if (problem === undefined) continue;
    const { attribute, reason } = problem;
    throw new StartupError(`${flagOf("keyStore")}: key ${key.name}: ${attribute}: ${reason}`);
  }
}

export interface KeyReload {
  readonly config: Config;
  readonly keys: ServedKeys;
  readonly store: KeyStore | undefined;
  readonly logger: Pick<Logger, "info" | "error">;
}

/** Reloads the key file, if there is one. If the new one is invalid, the old keys stay in use. */
export function reloadKeys({ config, keys: { ring, budgets }, store, logger }: KeyReload): void {
  const { apiKeyFile, keyStore = "" } = config;
  if (apiKeyFile === undefined) return;
  try {
    const configured = readApiKeys(config);
    if (store !== undefined) {
      expectCompatibleKeys(configured.keys, store.keys.map(toManagedKey), keyStore);
      expectApplicableKeys(store, budgets, configured);
    }
    budgets.replace(configured);
    ring.replace(configured.keys);
    logger.info({ keys: configured.keys.length }, "the key file was read again");
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    logger.error(
      { reason: formatReason(error) },
      "the key file is invalid; the previous keys remain in use",
    );
  }
}

/** @throws {StartupError} naming the key of the configuration, or the store */
function expectCompatibleKeys(
  configured: readonly ApiKey[],
  stored: readonly ManagedKey[],
  path: string,
): void {
  const setting = `${flagOf("keyStore")} ${path}`;
  const names = new Set(stored.map(({ key }) => key.name));
  const hashes = new Set(stored.flatMap(({ key, former }) => [key, ...former]).map(toHash));
  for (const { name, sha256, location } of configured) {
    const property = names.has(name) ? "name" : hashes.has(sha256) ? "key" : undefined;
    if (property === undefined) continue;
    throw new StartupError(`${location}: expected a unique ${property}, got one of ${setting}`);
  }
  const isManager = ({ key, state, expiresAt = Number.POSITIVE_INFINITY }: ManagedKey) =>
    mayManageKeys(key) && state === "enabled" && expiresAt > Date.now();
  if (configured.some(mayManageKeys) || stored.some(isManager)) return;
  throw new StartupError(
    `${setting}: expected a key with the scope admin and full access, got none. Create one: ggufd keys create admin ${setting}`,
  );
}

const toHash = ({ sha256 }: { readonly sha256: string }) => sha256;
