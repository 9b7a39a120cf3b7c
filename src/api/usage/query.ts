import { z } from "zod";
import { createRefusal, type GgufdError } from "../../core/errors.js";
import { type UsageDimension, type UsageQuery, usageDimensions } from "../../core/usage.js";
import {
  type BucketWidth,
  bucketWidths,
  moveBuckets,
  startOfBucket,
} from "../../core/usage-buckets.js";
import { oneOf } from "../../validation/fields.js";
import { integerParameter, textParameter } from "../../validation/parameters.js";
import { preview } from "../../validation/preview.js";

/** Numbers of buckets in a page. The first two defaults, and the limit of hours, are OpenAI's. */
const LIMITS: Readonly<Record<BucketWidth, { readonly usual: number; readonly max: number }>> = {
  "1h": { usual: 24, max: 168 },
  "1d": { usual: 7, max: 366 },
  "1mo": { usual: 12, max: 120 },
};

const MAX_LIMIT = Math.max(...Object.values(LIMITS).map(({ max }) => max));

/** End of the year 9999, in seconds since the Unix epoch. */
const MAX_TIME = 253_402_300_799;

/** Names of properties in queries: ggufd's, and OpenAI's where they differ. */
const dimensionNames: ReadonlyMap<string, UsageDimension> = new Map([
  ...usageDimensions.map((dimension) => [dimension, dimension] as const),
  ["api_key_id", "key"],
  ["batch", "class"],
]);

const groupByError = `expected one or more of ${[...dimensionNames.keys()].join(", ")}`;

const groupBy = z
  .union([z.string(), z.array(z.string())], { error: groupByError })
  .transform((given, context): readonly UsageDimension[] => {
    const names = [given].flat().flatMap((text) => text.split(","));
    const dimensions = names.flatMap((name) => dimensionNames.get(name) ?? []);
    if (dimensions.length === names.length) {
      return usageDimensions.filter((dimension) => dimensions.includes(dimension));
    }
    context.issues.push({ code: "custom", message: groupByError, input: given });
    return z.NEVER;
  })
  .optional()
  .meta({
    description:
      "Properties that have their own results: repeated, or separated by commas. `api_key_id` and `batch` are OpenAI's names of `key` and `class`.",
    override: { type: "array", items: { type: "string", enum: [...dimensionNames.keys()] } },
  });

const seconds = (description: string) =>
  integerParameter(0, MAX_TIME).optional().meta({ description });

/** Query of `GET /v1/usage`. */
export const usageQuery = z.strictObject({
  start_time: seconds(
    "Start in seconds since the Unix epoch, rounded down to a bucket. Default: as many buckets before the end as a page has.",
  ),
  end_time: seconds(
    "End in seconds since the Unix epoch, exclusive, rounded up to a bucket. Default: now.",
  ),
  bucket_width: oneOf(bucketWidths)
    .optional()
    .meta({ description: "An hour, a day or a month of UTC. Default: `1d`." }),
  group_by: groupBy,
  "group_by[]": groupBy,
  limit: integerParameter(1, MAX_LIMIT)
    .optional()
    .meta({
      description: `Maximum number of buckets. Defaults and maxima: ${describeLimits()}. CSV has no pages: its default is the maximum, and a longer interval is refused.`,
    }),
  page: textParameter().optional().meta({ description: "The `next_page` of the previous page." }),
  format: oneOf(["json", "csv"])
    .optional()
    .meta({ description: "Default: CSV if the `Accept` header names `text/csv`, else JSON." }),
});

/** A page of buckets. */
export interface UsagePage {
  readonly query: UsageQuery;
  /** Cursor of the next page; absent: this is the last one. */
  readonly nextPage?: string;
}

export interface PageOptions {
  /** Name of the only key that the client may see; absent: it may see all. */
  readonly key?: string | undefined;
  readonly format: "json" | "csv";
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/**
 * Computes the buckets that a query selects.
 * @throws {GgufdError} `invalid_request` naming the parameter
 */
export function toUsagePage(
  { bucket_width: width = "1d", ...query }: z.output<typeof usageQuery>,
  { key, format, nowMs }: PageOptions,
): UsagePage {
  const { usual, max } = LIMITS[width];
  const { limit = format === "csv" ? max : usual } = query;
  if (limit > max) {
    throw refuse("limit", `expected an integer from 1 to ${max} with buckets of ${width}`, limit);
  }
  // Buckets after the current one are empty.
  const endMs = Math.min((query.end_time ?? Number.POSITIVE_INFINITY) * 1000, nowMs + 1);
  const toMs = moveBuckets(startOfBucket(Math.max(0, endMs - 1), width), width, 1);
  const fromMs =
    query.start_time === undefined
      ? moveBuckets(toMs, width, -limit)
      : startOfBucket(query.start_time * 1000, width);
  if (fromMs >= toMs) {
    const expected = "expected a time before end_time, and before the current time of the server";
    throw refuse("start_time", expected, query.start_time);
  }
  const pageMs = query.page === undefined ? fromMs : parsePage(query.page, width);
  if (pageMs < fromMs || pageMs >= toMs) throw createPageError(query.page);
  const endOfPageMs = Math.min(moveBuckets(pageMs, width, limit), toMs);
  if (format === "csv" && endOfPageMs < toMs) {
    const expected = `expected a time at most ${limit} buckets of ${width} before the end, because CSV has no pages`;
    throw refuse("start_time", expected, query.start_time);
  }
  return {
    query: {
      fromMs: pageMs,
      toMs: endOfPageMs,
      width,
      groupBy: query.group_by ?? query["group_by[]"] ?? [],
      ...(key !== undefined && { key }),
    },
    ...(endOfPageMs < toMs && { nextPage: `page_${endOfPageMs / 1000}` }),
  };
}

function parsePage(page: string, width: BucketWidth): number {
  const [, digits] = /^page_(\d{1,12})$/.exec(page) ?? [];
  const pageMs = Number(digits) * 1000;
  if (startOfBucket(pageMs, width) !== pageMs) throw createPageError(page);
  return pageMs;
}

function createPageError(page: string | undefined): GgufdError {
  return refuse("page", "expected the next_page of a page with the same interval", page);
}

function refuse(field: string, expected: string, got: unknown): GgufdError {
  return createRefusal("invalid_request", [{ field, reason: `${expected}, got ${preview(got)}` }]);
}

function describeLimits(): string {
  return bucketWidths
    .map((width) => `${LIMITS[width].usual} and ${LIMITS[width].max} for \`${width}\``)
    .join(", ");
}
