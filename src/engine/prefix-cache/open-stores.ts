import { join } from "node:path";
import type { EngineSettings } from "../engine-settings.js";
import type { TokenContext } from "../llama/token-context.js";
import { createStateFolder } from "./state-folder.js";
import { StateStore } from "./state-store.js";

/**
 * Memory for states, and behind it a folder that outlives this process. A state fits only the
 * model, the version and the cache that it came from: each combination has a folder of its own.
 */
export async function openStores(
  context: TokenContext,
  { cacheRamMiB, cacheDir, cacheDiskMiB }: EngineSettings,
  cacheFormat: string,
): Promise<StateStore | undefined> {
  const next =
    cacheDir === undefined
      ? undefined
      : await StateStore.open({
          context,
          folder: join(cacheDir, cacheFormat),
          maxBytes: cacheDiskMiB * 2 ** 20,
          keeps: "always",
        });
  if (cacheRamMiB === 0) return next;
  const maxBytes = cacheRamMiB * 2 ** 20;
  return StateStore.open({
    context,
    folder: createStateFolder(),
    maxBytes,
    keeps: "session",
    next,
  });
}
