import { join } from "node:path";
import type { TokenContext } from "../llama/token-context.js";
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
 * @param cacheFormat a state can only be restored by the model, version and cache type that saved
 *   it: each combination has a folder of its own
 */
export async function openStores(
  context: TokenContext,
  { cacheRamMiB, cacheDir, cacheDiskMiB }: StateStoreSettings,
  cacheFormat: string,
  onWarning: (message: string) => void,
): Promise<StateStore | undefined> {
  const next =
    cacheDir === undefined
      ? undefined
      : await StateStore.open({
          context,
          folder: join(cacheDir, cacheFormat),
          maxBytes: cacheDiskMiB * 2 ** 20,
          retention: "permanent",
        });
  if (cacheRamMiB === 0) return next;
  const created = createStateFolder(cacheRamMiB * 2 ** 20);
  if (created === undefined) {
    onWarning("no folder for evicted KV states can be written to: --cache-ram has no effect");
    return next;
  }
  const { path, capacityBytes, warning } = created;
  if (warning !== undefined) onWarning(warning);
  return StateStore.open({
    context,
    folder: path,
    maxBytes: capacityBytes,
    retention: "session",
    next,
  });
}
