import { addUsage, NO_USAGE, type RecentUsage, type UsageTotals } from "../core/usage.js";
import { startOfBucket } from "../core/usage-buckets.js";

/** Usage of one API key on one day. */
export interface DayOfKey extends UsageTotals {
  /** Empty: requests without a key. */
  readonly key: string;
  /** Start of the day, in milliseconds since the Unix epoch. */
  readonly dayMs: number;
}

/** Totals per API key and day of the current month, in memory. */
export class RecentTotals implements RecentUsage {
  readonly #days = new Map<string, Map<number, UsageTotals>>();
  /** Start of the latest month that usage was added to. */
  #monthMs = 0;

  constructor(days: readonly DayOfKey[] = []) {
    for (const { key, dayMs, ...totals } of days) this.add(key, dayMs, totals);
  }

  add(key: string, epochMs: number, totals: UsageTotals): void {
    const monthMs = startOfBucket(epochMs, "1mo");
    if (monthMs > this.#monthMs) this.#begin(monthMs);
    const dayMs = startOfBucket(epochMs, "1d");
    const days = this.#days.get(key) ?? new Map<number, UsageTotals>();
    days.set(dayMs, addUsage(days.get(dayMs) ?? NO_USAGE, totals));
    this.#days.set(key, days);
  }

  sumSince(subject: string | undefined, sinceEpochMs: number): UsageTotals {
    const days = this.#days.get(subject ?? "") ?? new Map<number, UsageTotals>();
    let sum = NO_USAGE;
    for (const [dayMs, totals] of days) if (dayMs >= sinceEpochMs) sum = addUsage(sum, totals);
    return sum;
  }

  /** Forgets the days before a month. */
  #begin(monthMs: number): void {
    this.#monthMs = monthMs;
    for (const [key, days] of this.#days) {
      for (const dayMs of days.keys()) if (dayMs < monthMs) days.delete(dayMs);
      if (days.size === 0) this.#days.delete(key);
    }
  }
}
