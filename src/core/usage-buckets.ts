/** Lengths of buckets: an hour, a day, a month. */
export const bucketWidths = ["1h", "1d", "1mo"] as const;

export type BucketWidth = (typeof bucketWidths)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Returns the start of the bucket that has a time. Buckets are hours, days and months of UTC. */
export function startOfBucket(epochMs: number, width: BucketWidth): number {
  switch (width) {
    case "1h":
      return epochMs - (epochMs % HOUR_MS);
    case "1d":
      return epochMs - (epochMs % DAY_MS);
    case "1mo":
      return startOfMonth(epochMs, 0);
  }
}

/**
 * Returns the start of a later or an earlier bucket.
 * @param startMs start of a bucket
 * @param count number of buckets to advance; negative: to go back
 */
export function moveBuckets(startMs: number, width: BucketWidth, count: number): number {
  switch (width) {
    case "1h":
      return startMs + count * HOUR_MS;
    case "1d":
      return startMs + count * DAY_MS;
    case "1mo":
      return startOfMonth(startMs, count);
  }
}

function startOfMonth(epochMs: number, offset: number): number {
  const date = new Date(epochMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset);
}
