import { percentile } from "../statistics.js";
import { formatTable } from "../table.js";
import type { CaseResult } from "./run-schemas.js";

const SLOWEST = 10;

/** Totals over all schemas. Times are in µs. */
export interface SchemasSummary {
  readonly schemas: number;
  readonly passing: number;
  readonly refused: number;
  readonly crashed: number;
  /** Number of schemas with a rejected valid instance or an accepted invalid one. */
  readonly withValidationErrors: number;
  readonly withInvalidationErrors: number;
  readonly reorderedInstances: number;
  readonly masks: number;
  readonly firstMaskUs: Quantiles;
  readonly maskUs: Quantiles;
}

interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export function summariseSchemas(results: readonly CaseResult[]): SchemasSummary {
  const count = (matches: (result: CaseResult) => boolean) => results.filter(matches).length;
  const maskUs = results.flatMap((result) => result.maskUs);
  return {
    schemas: results.length,
    passing: count(({ outcome }) => outcome === "passing"),
    refused: count(({ outcome }) => outcome === "refused"),
    crashed: count(({ outcome }) => outcome === "crashed"),
    withValidationErrors: count(({ validationErrors }) => validationErrors > 0),
    withInvalidationErrors: count(({ invalidationErrors }) => invalidationErrors > 0),
    reorderedInstances: results.reduce((sum, { reordered }) => sum + reordered, 0),
    masks: maskUs.length,
    firstMaskUs: quantiles(results.map(({ firstMaskUs }) => firstMaskUs)),
    maskUs: quantiles(maskUs),
  };
}

function quantiles(values: readonly number[]): Quantiles {
  return {
    p50: percentile(values, 50),
    p90: percentile(values, 90),
    p99: percentile(values, 99),
    max: percentile(values, 100),
  };
}

/** Returns a result without the times of single masks. */
export function withoutTimes({ maskUs, ...result }: CaseResult) {
  return { ...result, masks: maskUs.length, longestMaskUs: percentile(maskUs, 100) };
}

/** Formats the output of `npm run bench -- schemas`. */
export function formatSchemas(results: readonly CaseResult[]): string {
  const summary = summariseSchemas(results);
  const share = (count: number) => `${count} (${((100 * count) / summary.schemas).toFixed(2)} %)`;
  const rows = [
    ["schemas", String(summary.schemas)],
    ["passing", share(summary.passing)],
    ["refused", share(summary.refused)],
    ["with validation errors", share(summary.withValidationErrors)],
    ["with invalidation errors", share(summary.withInvalidationErrors)],
    ["crashed", share(summary.crashed)],
    ["instances put into the schema's order", String(summary.reorderedInstances)],
    ["masks", String(summary.masks)],
  ];
  const times = [
    ["to the first mask (TTFM)", ...microseconds(summary.firstMaskUs)],
    ["between masks (TBM)", ...microseconds(summary.maskUs)],
  ];
  return [
    formatTable([{ text: "" }, ""], rows),
    formatTable([{ text: "µs" }, "p50", "p90", "p99", "max"], times),
    `slowest schemas, µs to the first mask · longest mask\n${slowest(results)}`,
    `reasons\n${reasons(results)}`,
  ].join("\n\n");
}

function microseconds({ p50, p90, p99, max }: Quantiles): string[] {
  return [p50, p90, p99, max].map((value) => String(Math.round(value)));
}

function slowest(results: readonly CaseResult[]): string {
  const longest = (result: CaseResult) => result.maskUs.reduce((max, us) => Math.max(max, us), 0);
  return results
    .toSorted((a, b) => b.firstMaskUs + longest(b) - a.firstMaskUs - longest(a))
    .slice(0, SLOWEST)
    .map(
      (result) =>
        `  ${result.name}: ${Math.round(result.firstMaskUs)} · ${Math.round(longest(result))}`,
    )
    .join("\n");
}

function reasons(results: readonly CaseResult[]): string {
  const counts = new Map<string, number>();
  for (const { outcome, reason, validationErrors } of results) {
    if (outcome === "passing") continue;
    const [path = "", ...message] = (reason ?? "").split(": ");
    const keyword = path.split("/").findLast((step) => !/^\d+$/.test(step)) ?? "";
    const what =
      outcome === "failing"
        ? `failing: ${validationErrors > 0 ? "valid instance rejected" : "invalid instance accepted"}`
        : `${outcome}: ${keyword}: ${message.join(": ")}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SLOWEST * 2)
    .map(([what, count]) => `  ${String(count).padStart(4)}  ${what}`)
    .join("\n");
}
