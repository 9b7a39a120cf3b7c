import type { UsageQuery } from "../../src/core/usage.js";
import { type HourOfUsage, mergeGroups, selectUsage } from "../../src/usage/group-usage.js";
import { RecentTotals } from "../../src/usage/recent-totals.js";
import { type UsageStorage, UsageStore } from "../../src/usage/usage-store.js";

/** Keeps usage in memory; fails, or waits, as the test says. */
export class UsageInMemory implements UsageStorage {
  readonly writes: (readonly HourOfUsage[])[] = [];
  readonly removals: number[] = [];
  /** Error of all calls; undefined when they work. */
  fault: Error | undefined;
  /** Awaited by writes. */
  held: Promise<void> | undefined;
  isClosed = false;

  async add(hours: readonly HourOfUsage[]): Promise<void> {
    await this.held;
    if (this.fault) throw this.fault;
    this.writes.push(hours);
  }

  async read(query: UsageQuery) {
    if (this.fault) throw this.fault;
    return mergeGroups(selectUsage(this.writes.flat(), query), query.width);
  }

  async removeBefore(epochMs: number): Promise<void> {
    if (this.fault) throw this.fault;
    this.removals.push(epochMs);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** A store of usage in memory. @param now milliseconds since the Unix epoch */
export function storeUsageInMemory(storage = new UsageInMemory(), now = () => Date.now()) {
  return new UsageStore({
    storage,
    recent: new RecentTotals(),
    retentionMs: Number.MAX_SAFE_INTEGER,
    now,
    onFailed: () => undefined,
  });
}
