import { NO_USAGE, type UsageGroup } from "../../core/usage.js";
import { listBuckets, toCounts } from "./answer.js";
import type { UsagePage } from "./query.js";

/**
 * Prints usage as CSV (RFC 4180) with a header: one line for each group of each bucket. Times are
 * in ISO 8601, UTC.
 */
export function printUsageCsv(page: UsagePage, groups: readonly UsageGroup[]): string {
  const { groupBy } = page.query;
  const header = ["start_time", "end_time", ...groupBy, ...Object.keys(toCounts(NO_USAGE))];
  const rows = listBuckets(page, groups).flatMap((bucket) =>
    bucket.groups.map((group) => [
      formatTime(bucket.startMs),
      formatTime(bucket.endMs),
      ...groupBy.map((dimension) => group.subject[dimension] ?? ""),
      ...Object.values(toCounts(group)).map(String),
    ]),
  );
  return [header, ...rows].map((row) => `${row.map(quote).join(",")}\r\n`).join("");
}

function formatTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(".000Z", "Z");
}

function quote(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
