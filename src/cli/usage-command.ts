import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { addUsage, NO_USAGE, type UsageDimension, type UsageTotals } from "../core/usage.js";
import { type BucketWidth, moveBuckets } from "../core/usage-buckets.js";
import { DaemonClient } from "./daemon/daemon-client.js";
import { formatJson } from "./json-output.js";
import { formatTextTable } from "./text-table.js";
import type { UsageArguments } from "./usage-options.js";

/** Fields of an answer that the command reads. */
const result = z.looseObject({
  num_model_requests: z.number(),
  input_tokens: z.number(),
  input_cached_tokens: z.number(),
  output_tokens: z.number(),
  images: z.number(),
  audio_seconds: z.number(),
  engine_seconds: z.number(),
  api_key_id: z.string().nullable(),
  model: z.string().nullable(),
  adapter: z.string().nullable(),
  api: z.string().nullable(),
  batch: z.boolean().nullable(),
});
const bucket = z.looseObject({ start_time: z.number(), results: z.array(result) });
const page = z.object({ data: z.array(bucket), next_page: z.string().nullable() });

type UsageResult = z.output<typeof result>;
type UsageBucket = z.output<typeof bucket>;

/**
 * Prints the usage that a running daemon has stored.
 * @param nowMs milliseconds since the Unix epoch
 * @returns the text to print
 * @throws {DaemonError}
 */
export async function runUsage(options: UsageArguments, nowMs = Date.now()): Promise<string> {
  const { since, by, per, output } = options;
  const daemon = new DaemonClient(options.daemon);
  const query = new URLSearchParams({
    start_time: String(Math.floor(moveBuckets(nowMs, since.unit, -since.count) / 1000)),
    bucket_width: per ?? since.unit,
    group_by: by.join(","),
  });
  if (output === "csv") {
    query.set("format", "csv");
    const { signal } = new AbortController();
    return (await buffer(daemon.download(`/v1/usage?${query}`, signal))).toString();
  }
  const buckets = await fetchBuckets(daemon, query);
  if (output === "json") return formatJson({ data: buckets });
  return describeUsage(buckets, { by, per });
}

async function fetchBuckets(
  daemon: DaemonClient,
  query: URLSearchParams,
): Promise<readonly UsageBucket[]> {
  const buckets: UsageBucket[] = [];
  for (;;) {
    const { data, next_page } = await daemon.get(`/v1/usage?${query}`, page);
    buckets.push(...data);
    if (next_page === null) return buckets;
    query.set("page", next_page);
  }
}

/** Formats usage as a table: a row for each group, or for each group of each bucket. */
export function describeUsage(
  buckets: readonly UsageBucket[],
  { by, per }: Pick<UsageArguments, "by" | "per">,
): string {
  const rows = new Map<string, { readonly labels: readonly string[]; totals: UsageTotals }>();
  for (const { start_time, results } of buckets) {
    for (const one of results) {
      const start = per === undefined ? [] : [formatStart(start_time, per)];
      const labels = [...start, ...by.map((dimension) => labelOf(one, dimension))];
      const row = rows.get(JSON.stringify(labels)) ?? { labels, totals: NO_USAGE };
      row.totals = addUsage(row.totals, toTotals(one));
      rows.set(JSON.stringify(labels), row);
    }
  }
  if (rows.size === 0) return "There was no usage in this interval.\n";
  const heading = [...(per === undefined ? [] : ["start"]), ...by, ...Object.keys(columns)];
  const cells = [...rows.values()].map(({ labels, totals }) => [
    ...labels.map((label) => label || "-"),
    ...Object.values(columns).map((format) => format(totals)),
  ]);
  return `${formatTextTable([heading, ...cells]).join("\n")}\n`;
}

const columns: Readonly<Record<string, (totals: UsageTotals) => string>> = {
  requests: ({ requests }) => String(requests),
  prompt: ({ promptTokens }) => String(promptTokens),
  cached: ({ cachedTokens }) => String(cachedTokens),
  generated: ({ completionTokens }) => String(completionTokens),
  images: ({ images }) => String(images),
  audio: ({ audioSeconds }) => `${Math.round(audioSeconds)} s`,
  engine: ({ engineMs }) => `${Math.round(engineMs / 1000)} s`,
};

function labelOf(one: UsageResult, dimension: UsageDimension): string {
  switch (dimension) {
    case "key":
      return one.api_key_id ?? "";
    case "class":
      return one.batch ? "batch" : "interactive";
    default:
      return one[dimension] ?? "";
  }
}

function toTotals(one: UsageResult): UsageTotals {
  return {
    requests: one.num_model_requests,
    promptTokens: one.input_tokens,
    cachedTokens: one.input_cached_tokens,
    completionTokens: one.output_tokens,
    images: one.images,
    audioSeconds: one.audio_seconds,
    engineMs: one.engine_seconds * 1000,
  };
}

/** `2026-11-02`; with the hour for hours, without the day for months. */
function formatStart(seconds: number, width: BucketWidth): string {
  const text = new Date(seconds * 1000).toISOString();
  const length = { "1h": 16, "1d": 10, "1mo": 7 }[width];
  return text.slice(0, length).replace("T", " ");
}
