import { join } from "node:path";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import type { TokenContext } from "../native/token-context.js";
import { createStateFolder } from "./state-folder.js";
import { StateStore } from "./state-store.js";

/** Settings of the storage for evicted KV states. */
export interface StateStoreSettings {
  /** RAM budget for evicted KV states, in MiB; 0 disables it. */
  readonly cacheRamMiB: number;
  /** Folder for evicted KV states that outlives the process; `undefined`: none. */
  readonly cacheDir: string | undefined;
  /** Capacity of `cacheDir`, in MiB. */
  readonly cacheDiskMiB: number;
}

/**
 * Opens the tiers for evicted KV states: memory, then a folder that outlives the process.
 * @param identityOf returns the name of the subfolder for states of this model, these versions and these cache
 * settings; no other combination can restore them
 * @throws {StartupError} if the folder cannot be used
 */
export async function openStores(
  context: TokenContext,
  { cacheRamMiB, cacheDir, cacheDiskMiB }: StateStoreSettings,
  identityOf: () => Promise<string>,
  onWarning: (message: string) => void,
): Promise<StateStore | undefined> {
  const commonOptions = { context, onWarning };
  const openDisk = async (cacheDir: string) => {
    const identity = await identityOf();
    return StateStore.open({
      ...commonOptions,
      folder: join(cacheDir, identity),
      maxBytes: cacheDiskMiB * 2 ** 20,
      retention: { kind: "permanent", identity },
    }).catch((error: unknown) => {
      throw new StartupError(`--cache-dir ${cacheDir}: ${formatReason(error)}`, error);
    });
  };
  const next = cacheDir === undefined ? undefined : await openDisk(cacheDir);
  if (cacheRamMiB === 0) return next;
  const ramFolder = createStateFolder(cacheRamMiB * 2 ** 20);
  if (ramFolder === undefined) {
    onWarning("--cache-ram has no effect: no folder for evicted KV states is writable");
    return next;
  }
  const { path, capacityBytes, warning } = ramFolder;
  if (warning !== undefined) onWarning(warning);
  return StateStore.open({
    ...commonOptions,
    folder: path,
    maxBytes: capacityBytes,
    retention: { kind: "session" },
    next,
  });
}
