import { join } from "node:path";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { startOfBucket } from "../core/usage-buckets.js";
import { createFolder } from "../files/durable-file.js";
import { FileLock, LockHeldError } from "../files/file-lock.js";
import { nodeFileSystem } from "../files/file-system.js";
import { RecentTotals } from "./recent-totals.js";
import { UsageDatabase } from "./usage-database.js";
import { UsageStore, type UsageStoreOptions } from "./usage-store.js";

export interface OpenUsageOptions extends Pick<UsageStoreOptions, "retentionMs" | "onFailed"> {
  /** Milliseconds since the Unix epoch. @default Date.now */
  readonly now?: () => number;
}

/** A store with the lock of its folder. */
export interface OpenUsage {
  readonly store: UsageStore;
  /** Writes the usage in memory and releases the folder. */
  close(): Promise<void>;
}

/**
 * Opens the folder of usage, which is created if it is missing, and locks other processes out.
 * @throws {StartupError} when the folder is in use, the database is damaged or of a newer version,
 *   or one of them cannot be read or written
 */
export async function openUsage(
  folder: string,
  { now = Date.now, ...options }: OpenUsageOptions,
): Promise<OpenUsage> {
  const lock = await lockFolder(folder);
  try {
    const storage = await UsageDatabase.open(join(folder, "usage.db"));
    const recent = new RecentTotals(await storage.sumDays(startOfBucket(now(), "1mo")));
    const store = new UsageStore({ ...options, storage, recent, now });
    return {
      store,
      async close() {
        await store.close();
        await lock.release();
      },
    };
  } catch (cause) {
    await lock.release();
    throw createUnusableError(folder, cause);
  }
}

async function lockFolder(folder: string): Promise<FileLock> {
  try {
    await createFolder(nodeFileSystem, folder);
    return await FileLock.acquire(join(folder, "lock"));
  } catch (cause) {
    throw createUnusableError(folder, cause);
  }
}

function createUnusableError(folder: string, cause: unknown): StartupError {
  const reason = formatReason(cause);
  const message =
    cause instanceof LockHeldError
      ? `--usage ${folder}: the folder is ${reason}; only one process at a time can use it. A second daemon needs another folder.`
      : `--usage ${folder}: the usage cannot be opened: ${reason}.`;
  return new StartupError(message, cause);
}
