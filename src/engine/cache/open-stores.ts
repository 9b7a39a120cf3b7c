import { join } from "node:path";
import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import type { TokenContext } from "../native/token-context.js";
import { createStateFolder } from "./state-folder.js";
import { StateStore } from "./state-store.js";

/** Where evicted KV states are kept. */
export interface StateStoreSettings {
  /** RAM budget for evicted KV states, in MiB; 0 disables it. */
  readonly cacheRamMiB: number;
  /** Folder for such states that outlives the process; `undefined`: none. */
  readonly cacheDir: string | undefined;
  /** Capacity of `cacheDir`, in MiB. */
  readonly cacheDiskMiB: number;
}

/**
 * Opens the tiers for evicted KV states: memory, and behind it a folder that outlives the process.
 * @param identityOf a state can only be restored by the model, the versions and the settings of the cache that
 *   saved it: each combination has a folder of its own, of this name
 * @throws {StartupError} when the folder cannot be used
 */
export async function openStores(
  context: TokenContext,
  { cacheRamMiB, cacheDir, cacheDiskMiB }: StateStoreSettings,
  identityOf: () => Promise<string>,
  onWarning: (message: string) => void,
): Promise<StateStore | undefined> {
  const common = { context, onWarning };
  const openDisk = async (cacheDir: string) => {
    const identity = await identityOf();
    return StateStore.open({
      ...common,
      folder: join(cacheDir, identity),
      maxBytes: cacheDiskMiB * 2 ** 20,
      retention: { kind: "permanent", identity },
    }).catch((error: unknown) => {
      throw new StartupError(`--cache-dir ${cacheDir}: ${reasonOf(error)}`, error);
    });
  };
  const next = cacheDir === undefined ? undefined : await openDisk(cacheDir);
  if (cacheRamMiB === 0) return next;
  const created = createStateFolder(cacheRamMiB * 2 ** 20);
  if (created === undefined) {
    onWarning("no folder for evicted KV states can be written to: --cache-ram has no effect");
    return next;
  }
  const { path, capacityBytes, warning } = created;
  if (warning !== undefined) onWarning(warning);
  return StateStore.open({
    ...common,
    folder: path,
    maxBytes: capacityBytes,
    retention: { kind: "session" },
    next,
  });
}
