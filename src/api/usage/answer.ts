import { z } from "zod";
import type { UsageGroup, UsageTotals } from "../../core/usage.js";
import { type BucketWidth, moveBuckets } from "../../core/usage-buckets.js";
import type { UsagePage } from "./query.js";

const count = (description: string) => z.int().nonnegative().meta({ description });
const amount = (description: string) => z.number().nonnegative().meta({ description });
const grouped = (name: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${name}. \`null\`: the results are not grouped by it.` });

/** Sums of a result, by OpenAI's names where OpenAI has the field. */
const usageCounts = z.object({
  num_model_requests: count("Requests that a model worked for."),
  input_tokens: count("Prompt tokens, including cached ones."),
  input_cached_tokens: count("Prompt tokens that came from the prefix cache."),
  output_tokens: count("Generated tokens."),
  images: count("Images in prompts."),
  audio_seconds: amount("Duration of audio in prompts."),
  engine_seconds: amount("Time that answers spent in the engine."),
});

export type UsageCounts = z.infer<typeof usageCounts>;

export const usageResult = usageCounts
  .extend({
    object: z.literal("organization.usage.completions.result"),
    project_id: z.null(),
    user_id: z.null(),
    api_key_id: grouped("Name of the API key; empty for requests without one"),
    model: grouped("Name of the model"),
    adapter: grouped("Names of the LoRA adapters, separated by commas; empty for none"),
    api: grouped("Route, such as `/v1/chat/completions`"),
    batch: z.boolean().nullable().meta({
      description: "Whether the requests are lines of batches. `null`: not grouped by it.",
    }),
  })
  .meta({ id: "UsageResult" });

const usageBucket = z
  .object({
    object: z.literal("bucket"),
    start_time: count("Start in seconds since the Unix epoch."),
    end_time: count("End in seconds since the Unix epoch, exclusive."),
    results: z.array(usageResult).meta({ description: "Empty: there was no request." }),
  })
  .meta({ id: "UsageBucket" });

/** Answer of `GET /v1/usage`. */
export const usageList = z
  .object({
    object: z.literal("page"),
    data: z.array(usageBucket).meta({ description: "All buckets of the page, in order." }),
    has_more: z.boolean(),
    next_page: z.string().nullable(),
  })
  .meta({ id: "UsagePage" });

export type UsageResult = z.infer<typeof usageResult>;
export type UsageBucket = z.infer<typeof usageBucket>;
export type UsageList = z.infer<typeof usageList>;

/** A bucket of a page, in milliseconds since the Unix epoch. */
export interface Bucket {
  readonly startMs: number;
  readonly endMs: number;
  readonly groups: readonly UsageGroup[];
}

/** Lists all buckets of a page, with their groups. */
export function listBuckets(
  { query: { fromMs, toMs, width } }: UsagePage,
  groups: readonly UsageGroup[],
): readonly Bucket[] {
  const byBucket = new Map<number, UsageGroup[]>();
  for (const group of groups) {
    const known = byBucket.get(group.bucketMs);
    if (known === undefined) byBucket.set(group.bucketMs, [group]);
    else known.push(group);
  }
  const buckets: Bucket[] = [];
  for (let startMs = fromMs; startMs < toMs; startMs = endOf(startMs, width)) {
    const endMs = endOf(startMs, width);
    buckets.push({ startMs, endMs, groups: byBucket.get(startMs) ?? [] });
  }
  return buckets;
}

function endOf(startMs: number, width: BucketWidth): number {
  return moveBuckets(startMs, width, 1);
}

export function toUsageList(page: UsagePage, groups: readonly UsageGroup[]): UsageList {
  return {
    object: "page",
    data: listBuckets(page, groups).map((bucket) => ({
      object: "bucket",
      start_time: bucket.startMs / 1000,
      end_time: bucket.endMs / 1000,
      results: bucket.groups.map(toResult),
    })),
    has_more: page.nextPage !== undefined,
    next_page: page.nextPage ?? null,
  };
}

function toResult(group: UsageGroup): UsageResult {
  const { key, model, adapter, api, class: kind } = group.subject;
  return {
    object: "organization.usage.completions.result",
    ...toCounts(group),
    project_id: null,
    user_id: null,
    api_key_id: key ?? null,
    model: model ?? null,
    adapter: adapter ?? null,
    api: api ?? null,
    batch: kind === undefined ? null : kind === "batch",
  };
}

export function toCounts(totals: UsageTotals): UsageCounts {
  return {
    num_model_requests: totals.requests,
    input_tokens: totals.promptTokens,
    input_cached_tokens: totals.cachedTokens,
    output_tokens: totals.completionTokens,
    images: totals.images,
    // Sums of fractions have digits that no file has.
    audio_seconds: Math.round(totals.audioSeconds * 1000) / 1000,
    engine_seconds: totals.engineMs / 1000,
  };
}
