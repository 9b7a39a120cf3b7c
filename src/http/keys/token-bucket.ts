import assert from "node:assert/strict";

/**
 * A token bucket that holds one minute's quota and refills evenly. Plain data; times are
 * milliseconds on one monotonic clock.
 */
export interface TokenBucket {
  readonly perMinute: number;
  /** When the bucket is full again; in the past if it is full now. */
  readonly fullAt: number;
}

const MINUTE_MS = 60_000;
/** Far below one token and far above the rounding error of a level. */
const ROUNDING_TOLERANCE = 1e-6;

/** A full bucket. */
export function createFullBucket(perMinute: number, now: number): TokenBucket {
  assert(perMinute > 0, `expected a positive rate, got ${perMinute}`);
  return { perMinute, fullAt: now };
}

/** Tokens available; negative if more were taken than available. */
export function computeLevel({ perMinute, fullAt }: TokenBucket, now: number): number {
  const missing = (Math.max(0, fullAt - now) * perMinute) / MINUTE_MS;
  return perMinute - missing;
}

/** Whole tokens available. */
export function computeRemaining(bucket: TokenBucket, now: number): number {
  return Math.max(0, Math.floor(computeLevel(bucket, now) + ROUNDING_TOLERANCE));
}

/**
 * Takes tokens, possibly more than available, because the cost of an answer is known only at its
 * end.
 */
export function takeTokens(bucket: TokenBucket, tokens: number, now: number): TokenBucket {
  assert(tokens >= 0, `expected at least 0 tokens, got ${tokens}`);
  const refillMs = (tokens * MINUTE_MS) / bucket.perMinute;
  return { ...bucket, fullAt: Math.max(now, bucket.fullAt) + refillMs };
}

/** Returns taken tokens, up to the capacity. */
export function returnTokens(bucket: TokenBucket, tokens: number): TokenBucket {
  assert(tokens >= 0, `expected at least 0 tokens, got ${tokens}`);
  return { ...bucket, fullAt: bucket.fullAt - (tokens * MINUTE_MS) / bucket.perMinute };
}

/** Time until one token is available, in milliseconds. */
export function computeMsUntilOne({ perMinute, fullAt }: TokenBucket, now: number): number {
  return Math.max(0, fullAt - now - (MINUTE_MS - MINUTE_MS / perMinute));
}

/** Time until the bucket is full, in milliseconds. */
export function computeMsUntilFull({ fullAt }: TokenBucket, now: number): number {
  return Math.max(0, fullAt - now);
}

/** Returns the bucket with another rate; its level is kept, capped at the new capacity. */
export function resizeBucket(bucket: TokenBucket, perMinute: number, now: number): TokenBucket {
  if (perMinute === bucket.perMinute) return bucket;
  const missing = perMinute - Math.min(perMinute, computeLevel(bucket, now));
  return takeTokens(createFullBucket(perMinute, now), missing, now);
}
