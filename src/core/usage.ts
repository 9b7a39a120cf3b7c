import type { BucketWidth } from "./usage-buckets.js";

/** Sums over the requests of an interval. All fields are 0 or positive. */
export interface UsageTotals {
  /** Requests that a model worked for, however they ended. */
  readonly requests: number;
  /** All prompt tokens, cached or evaluated; those of pooled inputs too. */
  readonly promptTokens: number;
  /** Prompt tokens that came from the prefix cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly images: number;
  readonly audioSeconds: number;
  /** Time in the engine, from leaving the queue to the end, summed over all answers. Includes suspensions. */
  readonly engineMs: number;
}

export const NO_USAGE: UsageTotals = {
  requests: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  images: 0,
  audioSeconds: 0,
  engineMs: 0,
};

/** Fields of {@link UsageTotals}, in the order of reports. */
export const usageCounters = Object.keys(NO_USAGE) as (keyof UsageTotals)[];

export function addUsage(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    requests: one.requests + other.requests,
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    images: one.images + other.images,
    audioSeconds: one.audioSeconds + other.audioSeconds,
    engineMs: one.engineMs + other.engineMs,
  };
}

/** Properties by which usage is grouped, in the order of reports. */
export const usageDimensions = ["key", "model", "adapter", "api", "class"] as const;

export type UsageDimension = (typeof usageDimensions)[number];

/** Class of requests: lines of batches are counted apart from all others. */
export type UsageClass = "interactive" | "batch";

/** Properties of a request, of which each combination has its sums. */
export interface UsageSubject extends Readonly<Record<UsageDimension, string>> {
  /** Name of the API key; empty: none. */
  readonly key: string;
  /** Alias of the model. */
  readonly model: string;
  /** Names of the LoRA adapters that were chosen, in order; empty: none. */
  readonly adapter: string;
  /** Route pattern, such as `/v1/chat/completions`. */
  readonly api: string;
  readonly class: UsageClass;
}

/** Usage of a subject, which is counted when a request ends. */
export interface UsageEntry extends UsageSubject, UsageTotals {}

/** Receives the usage of ended requests. Never throws. */
export interface UsageSink {
  add(entry: UsageEntry): void;
}

/** Usage that is known without reading a file. */
export interface RecentUsage {
  /**
   * Sums the usage of one API key, including requests that are not yet written.
   * @param subject name of the key; `undefined`: requests without a key
   * @param sinceEpochMs start of a day of the current month (UTC)
   */
  sumSince(subject: string | undefined, sinceEpochMs: number): UsageTotals;
}

/** Usage to read. */
export interface UsageQuery {
  /** Start of a bucket, in milliseconds since the Unix epoch. */
  readonly fromMs: number;
  /** Start of the first bucket after the interval. */
  readonly toMs: number;
  readonly width: BucketWidth;
  /** Properties that have their own sums. */
  readonly groupBy: readonly UsageDimension[];
  /** Name of the only key to read; absent: all keys. */
  readonly key?: string;
}

/** Sums of a bucket, for one combination of the properties of a query. */
export interface UsageGroup extends UsageTotals {
  /** Start of the bucket, in milliseconds since the Unix epoch. */
  readonly bucketMs: number;
  /** Properties of the query. */
  readonly subject: Readonly<Partial<Record<UsageDimension, string>>>;
}

/** Reads stored usage. */
export interface UsageReader {
  /**
   * Reads the usage of an interval, including requests that are not yet written.
   * @returns groups by bucket, then by the properties in alphabetical order; without empty ones
   * @throws {GgufdError} `storage_unavailable`
   */
  read(query: UsageQuery): Promise<readonly UsageGroup[]>;
}

/** Usage of a server, if it keeps any. */
export type ServedUsage<Usage extends UsageReader = UsageReader> =
  | { readonly is: "kept"; readonly usage: Usage }
  | { readonly is: "disabled"; readonly because: string };

/** State of writing usage, for metrics. */
export interface UsageActivity {
  /** Ended requests that are not yet written. */
  readonly unwrittenRequests: number;
  /** Failed writes since the start of the process; each is tried again. */
  readonly failedWrites: number;
}

/** Activity of a server that keeps no usage. */
export const NO_USAGE_ACTIVITY: UsageActivity = { unwrittenRequests: 0, failedWrites: 0 };
