import assert from "node:assert/strict";
import type { budgetRows } from "../../core/api-keys.js";

export type BudgetUnit = (typeof budgetRows)[number]["unit"];
export type BudgetPeriod = (typeof budgetRows)[number]["period"];

/** Requests and tokens of an interval. */
export type UsageAmounts = Readonly<Record<BudgetUnit, number>>;

/** Usage of the current interval of a period. */
interface Interval {
  /** Start of the interval, in milliseconds since the Unix epoch. */
  readonly startMs: number;
  readonly used: Record<BudgetUnit, number>;
}

/**
 * Usage of one key in the current UTC day and month, and the requests and tokens that are reserved
 * for its running requests. Times are milliseconds since the Unix epoch.
 */
export class UsageCounter {
  readonly #sumSince: (startMs: number) => UsageAmounts;
  readonly #intervals: Record<BudgetPeriod, Interval | undefined> = {
    day: undefined,
    month: undefined,
  };
  readonly #reserved: Record<BudgetUnit, number> = { requests: 0, tokens: 0 };

  /** @param sumSince earlier usage of the key, read before its first request of this process */
  constructor(sumSince: (startMs: number) => UsageAmounts) {
    this.#sumSince = sumSince;
  }

  get reserved(): UsageAmounts {
    return this.#reserved;
  }

  /** Usage of the period that contains `nowMs`. */
  usedIn(period: BudgetPeriod, nowMs: number): UsageAmounts {
    return this.#intervalOf(period, nowMs).used;
  }

  /**
   * Reserves an amount until the used one is known.
   * @returns counts the used amount in place of the reserved one; to be called once
   */
  reserve(unit: BudgetUnit, amount: number): (used: number, nowMs: number) => void {
    assert(amount >= 0, `expected at least 0 ${unit}, got ${amount}`);
    this.#reserved[unit] += amount;
    let state: "reserved" | "settled" = "reserved";
    return (used, nowMs) => {
      assert(state === "reserved", `a reservation of ${unit} was settled twice`);
      assert(used >= 0, `expected at least 0 ${unit}, got ${used}`);
      state = "settled";
      this.#reserved[unit] -= amount;
      for (const period of ["day", "month"] as const) {
        this.#intervalOf(period, nowMs).used[unit] += used;
      }
    };
  }

  #intervalOf(period: BudgetPeriod, nowMs: number): Interval {
    const startMs = startOf(period, nowMs);
    const current = this.#intervals[period];
    if (current?.startMs === startMs) return current;
    // A later interval begins without usage. The clock may also have been set back.
    const isRenewal = current !== undefined && startMs > current.startMs;
    const used = isRenewal ? { requests: 0, tokens: 0 } : { ...this.#sumSince(startMs) };
    const interval = { startMs, used };
    this.#intervals[period] = interval;
    return interval;
  }
}

/** Start of the UTC day or month that contains a time. */
export function startOf(period: BudgetPeriod, nowMs: number): number {
  const date = new Date(nowMs);
  const day = period === "day" ? date.getUTCDate() : 1;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day);
}

/** Start of the next UTC day or month. */
export function nextStartOf(period: BudgetPeriod, nowMs: number): number {
  const date = new Date(startOf(period, nowMs));
  if (period === "day") date.setUTCDate(date.getUTCDate() + 1);
  else date.setUTCMonth(date.getUTCMonth() + 1);
  return date.getTime();
}
