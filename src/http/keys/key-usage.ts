import assert from "node:assert/strict";
import type { ApiKey, KeyLimits } from "../../core/api-keys.js";
import type { TokenAllowance } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import { type LimitState, rateLimitHeaders } from "./rate-limit-headers.js";
import {
  computeRemaining,
  fullBucket,
  msUntilFull,
  msUntilOne,
  resized,
  returnedTo,
  type TokenBucket,
  takenFrom,
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
  #running = 0;

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
  admit(asks: "model" | "server"): ConcurrencyPermit | undefined {
    this.#checkRate(this.#requests, "requests");
    if (asks === "model") {
      this.#checkRate(this.#tokens, "tokens");
      this.#checkConcurrency();
    }
    if (this.#requests !== undefined) this.#requests = takenFrom(this.#requests, 1, this.#now());
    return asks === "model" ? this.#newPermit() : undefined;
  }

  /** Uncounts an admitted request that the server could not serve yet. */
  readmit(): void {
    if (this.#requests !== undefined) this.#requests = returnedTo(this.#requests, 1);
  }

  /** Charges tokens to the key; `undefined`: its tokens are unlimited. */
  get tokens(): TokenAllowance | undefined {
    return this.#tokens && { charge: (tokens) => this.#charge(tokens) };
  }

  /**
   * Rate limit headers of responses to this key. Empty if neither requests nor tokens are limited.
   */
  get headers(): Readonly<Record<string, string>> {
    return rateLimitHeaders({
      requests: this.#stateOf(this.#requests),
      tokens: this.#stateOf(this.#tokens),
    });
  }

  #charge(tokens: number): void {
    if (this.#tokens !== undefined) this.#tokens = takenFrom(this.#tokens, tokens, this.#now());
  }

  #newPermit(): ConcurrencyPermit {
    return new ConcurrencyPermit({
      onAcquire: () => this.#running++,
      onRelease: () => {
        this.#running--;
        assert(this.#running >= 0, "more permits were released than acquired");
      },
    });
  }

  #checkRate(bucket: TokenBucket | undefined, what: "requests" | "tokens"): void {
    if (bucket === undefined || computeRemaining(bucket, this.#now()) >= 1) return;
    throw this.#refusal(
      `${what}-per-minute: expected at most ${bucket.perMinute} in a minute`,
      msUntilOne(bucket, this.#now()),
    );
  }

  #checkConcurrency(): void {
    const { concurrentRequests: most } = this.#key.limits;
    if (most === undefined || this.#running < most) return;
    throw this.#refusal(`concurrent: expected at most ${most} at once`, 0);
  }

  #refusal(expected: string, waitMs: number): GgufdError {
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
      resetMs: msUntilFull(bucket, now),
    };
  }
}

function updateBucket(
  before: TokenBucket | undefined,
  perMinute: number | undefined,
  now: number,
): TokenBucket | undefined {
  if (perMinute === undefined) return undefined;
  return before === undefined ? fullBucket(perMinute, now) : resized(before, perMinute, now);
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
