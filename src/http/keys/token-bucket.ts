/**
 * What is left of a rate: it holds what one minute permits, and is refilled evenly. Plain data; times are
 * milliseconds on one monotonic clock.
 */
export interface TokenBucket {
  readonly perMinute: number;
  /** When it will be full; in the past: it is. */
  readonly fullAt: number;
}

const MINUTE_MS = 60_000;
/** Far below one token, far above what rounding makes of a level. */
const ROUNDING = 1e-6;

export function fullBucket(perMinute: number, now: number): TokenBucket {
  return { perMinute, fullAt: now };
}

/** What may be taken; negative after more was taken than there was. */
export function levelOf({ perMinute, fullAt }: TokenBucket, now: number): number {
  const missing = (Math.max(0, fullAt - now) * perMinute) / MINUTE_MS;
  return perMinute - missing;
}

/** Whole tokens that may be taken. */
export function remainingOf(bucket: TokenBucket, now: number): number {
  return Math.max(0, Math.floor(levelOf(bucket, now) + ROUNDING));
}

/** Takes tokens off, whether or not there are as many. */
export function takenFrom(bucket: TokenBucket, tokens: number, now: number): TokenBucket {
  const refillMs = (tokens * MINUTE_MS) / bucket.perMinute;
  return { ...bucket, fullAt: Math.max(now, bucket.fullAt) + refillMs };
}

/** Time until one token may be taken, in milliseconds. */
export function msUntilOne({ perMinute, fullAt }: TokenBucket, now: number): number {
  return Math.max(0, fullAt - now - (MINUTE_MS - MINUTE_MS / perMinute));
}

/** Time until the bucket is full, in milliseconds. */
export function msUntilFull({ fullAt }: TokenBucket, now: number): number {
  return Math.max(0, fullAt - now);
}

/** The bucket of another rate: it holds as much as before, as far as there is room. */
export function resized(bucket: TokenBucket, perMinute: number, now: number): TokenBucket {
  if (perMinute === bucket.perMinute) return bucket;
  const missing = perMinute - Math.min(perMinute, levelOf(bucket, now));
  return takenFrom(fullBucket(perMinute, now), missing, now);
}
