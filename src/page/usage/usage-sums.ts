import type { UsageBucket, UsageCounts, UsageResult } from "../../api/usage/answer.js";

/** Property that the results are grouped by. */
export type Grouping = "model" | "key" | "api" | "class";

/** Sums of a bucket, for the charts. */
export interface UsagePoint {
  /** In seconds since the Unix epoch. */
  readonly startTime: number;
  readonly requests: number;
  readonly promptTokens: number;
  readonly generatedTokens: number;
}

/** Sums of the whole interval for one group. */
export interface UsageRow {
  readonly name: string;
  readonly counts: UsageCounts;
}

/** Sums the groups of each bucket. */
export function sumBuckets(buckets: readonly UsageBucket[]): readonly UsagePoint[] {
  return buckets.map(({ start_time: startTime, results }) => ({
    startTime,
    requests: sum(results, ({ num_model_requests }) => num_model_requests),
    promptTokens: sum(results, ({ input_tokens }) => input_tokens),
    generatedTokens: sum(results, ({ output_tokens }) => output_tokens),
  }));
}

/** Sums the buckets of each group, the one with the most tokens first. */
export function sumGroups(
  buckets: readonly UsageBucket[],
  grouping: Grouping,
): readonly UsageRow[] {
  const byName = new Map<string, UsageResult[]>();
  for (const result of buckets.flatMap(({ results }) => results)) {
    const name = nameOf(result, grouping);
    byName.set(name, [...(byName.get(name) ?? []), result]);
  }
  const rows = [...byName].map(([name, results]) => ({
    name,
    counts: {
      num_model_requests: sum(results, (one) => one.num_model_requests),
      input_tokens: sum(results, (one) => one.input_tokens),
      input_cached_tokens: sum(results, (one) => one.input_cached_tokens),
      output_tokens: sum(results, (one) => one.output_tokens),
      images: sum(results, (one) => one.images),
      audio_seconds: sum(results, (one) => one.audio_seconds),
      engine_seconds: sum(results, (one) => one.engine_seconds),
    },
  }));
  return rows.toSorted((one, other) => tokensOf(other.counts) - tokensOf(one.counts));
}

function nameOf(result: UsageResult, grouping: Grouping): string {
  switch (grouping) {
    case "model":
      return result.model ?? "";
    case "key":
      return result.api_key_id || "no key";
    case "api":
      return result.api ?? "";
    case "class":
      return result.batch ? "Batches" : "Interactive";
  }
}

function tokensOf({ input_tokens, output_tokens }: UsageCounts): number {
  return input_tokens + output_tokens;
}

function sum(results: readonly UsageResult[], amountOf: (result: UsageResult) => number): number {
  return results.reduce((total, result) => total + amountOf(result), 0);
}
