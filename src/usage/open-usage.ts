import { join } from "node:path";
import { startOfBucket } from "../core/usage-buckets.js";
import { openLockedFolder } from "../files/locked-data.js";
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
  const name = `--usage ${folder}: the folder`;
  const { data: store, release } = await openLockedFolder(name, folder, async () => {
    const storage = await UsageDatabase.open(join(folder, "usage.db"));
    const recent = new RecentTotals(await storage.sumDays(startOfBucket(now(), "1mo")));
    return new UsageStore({ ...options, storage, recent, now });
  });
  return {
    store,
    async close() {
      await store.close();
      await release();
    },
  };
}
