import assert from "node:assert/strict";
import type { ApiKey, KeyLimits } from "../../core/api-keys.js";
import type { TokenAllowance } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import { buildRateLimitHeaders, type LimitState } from "./rate-limit-headers.js";
import {
  computeMsUntilFull,
  computeMsUntilOne,
  computeRemaining,
  createFullBucket,
  resizeBucket,
  returnTokens,
  type TokenBucket,
  takeTokens,
} from "./token-bucket.js";

/** Milliseconds on a monotonic clock. */
export type Clock = () => number;

/** Longest `retry-after` that clients honour. */
const LONGEST_RETRY_SECONDS = 60;

/** A key and its usage of its limits. */
export class KeyUsage {
  readonly #now: Clock;
  #key: ApiKey;
  #requests: TokenBucket | undefined;
  #tokens: TokenBucket | undefined;
  #runningCount = 0;

  constructor(key: ApiKey, now: Clock) {
    this.#now = now;
    this.#key = key;
    this.#setLimits(key.limits);
  }

  get key(): ApiKey {
    return this.#key;
  }

  /** Replaces the key's attributes, keeping its usage. */
  update(key: ApiKey): void {
    this.#key = key;
    this.#setLimits(key.limits);
  }

  /**
   * Admits one request and counts it; a refused request is not counted.
   * @returns for a model request, its concurrency permit, not held yet
   * @throws {GgufdError} `rate_limit_exceeded`
   */
  admit(target: "model" | "server"): ConcurrencyPermit | undefined {
    this.#checkRate(this.#requests, "requests");
    if (target === "model") {
      this.#checkRate(this.#tokens, "tokens");
      this.#checkConcurrency();
    }
    if (this.#requests !== undefined) this.#requests = takeTokens(this.#requests, 1, this.#now());
    return target === "model" ? this.#createPermit() : undefined;
  }

  /** Uncounts an admitted request that the server could not serve yet. */
  refundRequest(): void {
    if (this.#requests !== undefined) this.#requests = returnTokens(this.#requests, 1);
  }

  /** Charges tokens to the key; `undefined`: its tokens are unlimited. */
  get tokens(): TokenAllowance | undefined {
    return this.#tokens && { charge: (tokens) => this.#charge(tokens) };
  }

  /**
   * Rate limit headers of responses to this key. Empty if neither requests nor tokens are limited.
   */
  get headers(): Readonly<Record<string, string>> {
    return buildRateLimitHeaders({
      requests: this.#stateOf(this.#requests),
      tokens: this.#stateOf(this.#tokens),
    });
  }

  #charge(tokens: number): void {
    if (this.#tokens !== undefined) this.#tokens = takeTokens(this.#tokens, tokens, this.#now());
  }

  #createPermit(): ConcurrencyPermit {
    return new ConcurrencyPermit({
      onAcquire: () => this.#runningCount++,
      onRelease: () => {
        this.#runningCount--;
        assert(this.#runningCount >= 0, "more permits were released than acquired");
      },
    });
  }

  #checkRate(bucket: TokenBucket | undefined, quota: "requests" | "tokens"): void {
    if (bucket === undefined || computeRemaining(bucket, this.#now()) >= 1) return;
    throw this.#createRateError(
      `${quota}-per-minute: expected at most ${bucket.perMinute} in a minute`,
      computeMsUntilOne(bucket, this.#now()),
    );
  }

  #checkConcurrency(): void {
    const { concurrentRequests: most } = this.#key.limits;
    if (most === undefined || this.#runningCount < most) return;
    throw this.#createRateError(`concurrent: expected at most ${most} at once`, 0);
  }

  #createRateError(expected: string, waitMs: number): GgufdError {
    const seconds = Math.min(LONGEST_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1000)));
    return new GgufdError(
      "rate_limit_exceeded",
      `${expected} with the API key ${this.#key.name}, got more.`,
      { retryAfterSeconds: seconds },
    );
  }

  #setLimits({ requestsPerMinute, tokensPerMinute }: KeyLimits): void {
    const now = this.#now();
    this.#requests = updateBucket(this.#requests, requestsPerMinute, now);
    this.#tokens = updateBucket(this.#tokens, tokensPerMinute, now);
  }

  #stateOf(bucket: TokenBucket | undefined): LimitState | undefined {
    if (bucket === undefined) return undefined;
    const now = this.#now();
    return {
      limit: bucket.perMinute,
      remaining: computeRemaining(bucket, now),
      resetMs: computeMsUntilFull(bucket, now),
    };
  }
}

function updateBucket(
  previousBucket: TokenBucket | undefined,
  perMinute: number | undefined,
  now: number,
): TokenBucket | undefined {
  if (perMinute === undefined) return undefined;
  return previousBucket === undefined
    ? createFullBucket(perMinute, now)
    : resizeBucket(previousBucket, perMinute, now);
}

export interface PermitOptions {
  readonly onAcquire: () => void;
  readonly onRelease: () => void;
}

/**
 * Counts a request as concurrent for as long as it has a holder: its connection until the response
 * is complete, and any work that continues afterwards.
 */
export class ConcurrencyPermit {
  readonly #options: PermitOptions;
  #holders = 0;

  constructor(options: PermitOptions) {
    this.#options = options;
  }

  /** @returns releases the hold; must be called exactly once */
  hold(): () => void {
    if (this.#holders++ === 0) this.#options.onAcquire();
    let state: "held" | "released" = "held";
    return () => {
      assert(state === "held", "a permit was released twice");
      state = "released";
      if (--this.#holders === 0) this.#options.onRelease();
    };
  }
}
