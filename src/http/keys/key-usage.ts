import assert from "node:assert/strict";
import type { KeyLimits, ManagedKey, Permissions } from "../../core/api-keys.js";
import type { TokenAllowance } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import { sumBy } from "../../core/sum-by.js";
import type { BudgetAccount, BudgetLedger, BudgetState } from "./budget-ledger.js";
import { buildRateLimitHeaders, findNearestLimit, type LimitState } from "./rate-limit-headers.js";
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

/** Facts that decide whether a key is accepted. */
export type Availability = Pick<ManagedKey, "state" | "expiresAt">;

/** A key, or the permissions of an identity, and the usage of its limits. */
export class KeyUsage {
  readonly #now: Clock;
  readonly #ledger: BudgetLedger | undefined;
  #key: Permissions;
  #account: BudgetAccount | undefined;
  #requests: TokenBucket | undefined;
  #tokens: TokenBucket | undefined;
  #runningCount = 0;
  #availability: Availability = { state: "enabled" };
  #lastUsedAt: number | undefined;

  /** @param ledger counts the key's usage; `undefined`: the key has no budgets */
  constructor(key: Permissions, now: Clock, ledger?: BudgetLedger) {
    this.#now = now;
    this.#ledger = ledger;
    this.#key = key;
    this.update(key);
  }

  get key(): Permissions {
    return this.#key;
  }

  /** Replaces the key's attributes, keeping its usage. */
  update(key: Permissions): void {
    this.#key = key;
    this.#account = this.#ledger?.open(key);
    this.#setLimits(key.limits);
  }

  /** Budgets of the key and of its group. */
  get budgets(): readonly BudgetState[] {
    return this.#account?.budgets ?? [];
  }

  /** Sets whether the key is accepted, and until when; at first it is, without an end. */
  setAvailability(availability: Availability): void {
    this.#availability = availability;
  }

  /** @throws {GgufdError} `invalid_api_key` if the key is disabled or has expired */
  expectUsable(): void {
    const { state, expiresAt } = this.#availability;
    const reason =
      state === "disabled"
        ? "is disabled"
        : expiresAt !== undefined && expiresAt <= Date.now()
          ? `expired at ${new Date(expiresAt).toISOString()}`
          : undefined;
    if (reason === undefined) return;
    throw new GgufdError("invalid_api_key", `The API key ${this.#key.name} ${reason}.`);
  }

  /** Time of the last admitted request, in milliseconds since 1970; undefined: none yet. */
  get lastUsedAt(): number | undefined {
    return this.#lastUsedAt;
  }

  /**
   * Admits one request and counts it; a refused request is not counted.
   * @returns for a model request, its concurrency permit, not held yet
   * @throws {GgufdError} `rate_limit_exceeded`; `insufficient_quota`: a budget is used up
   */
  admit(target: "model" | "server"): ConcurrencyPermit | undefined {
    this.#checkRate(this.#requests, "requests");
    if (target === "model") {
      this.#account?.expectUnused();
      this.#checkRate(this.#tokens, "tokens");
      this.#checkConcurrency();
    }
    if (this.#requests !== undefined) this.#requests = takeTokens(this.#requests, 1, this.#now());
    this.#lastUsedAt = Date.now();
    return target === "model" ? this.#createPermit() : undefined;
  }

  /** Uncounts an admitted request that the server could not serve yet. */
  refundRequest(): void {
    if (this.#requests !== undefined) this.#requests = returnTokens(this.#requests, 1);
  }

  /** Returns the allowance of one request; `undefined`: its tokens are neither limited nor counted. */
  openAllowance(): TokenAllowance | undefined {
    const counted = this.#account?.openAllowance();
    if (counted === undefined && this.#tokens === undefined) return undefined;
    return {
      admit: (answers) => {
        const settles = counted?.admit(answers);
        this.#charge(sumBy(answers, ({ promptTokens }) => promptTokens));
        return answers.map((_, index) => (completionTokens) => {
          settles?.[index]?.(completionTokens);
          this.#charge(completionTokens ?? 0);
        });
      },
    };
  }

  /**
   * Rate limit headers of responses to this key, of the limits and budgets with the least rest.
   * Empty if neither requests nor tokens are limited.
   */
  get headers(): Readonly<Record<string, string>> {
    const { budgets } = this;
    const nearestOf = (unit: BudgetState["unit"], bucket: TokenBucket | undefined) =>
      findNearestLimit([
        ...this.#listState(bucket),
        ...budgets.filter((budget) => budget.unit === unit).map(toLimitState),
      ]);
    return buildRateLimitHeaders({
      requests: nearestOf("requests", this.#requests),
      tokens: nearestOf("tokens", this.#tokens),
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

  #listState(bucket: TokenBucket | undefined): readonly LimitState[] {
    if (bucket === undefined) return [];
    const now = this.#now();
    return [
      {
        limit: bucket.perMinute,
        remaining: computeRemaining(bucket, now),
        resetMs: computeMsUntilFull(bucket, now),
      },
    ];
  }
}

function toLimitState({ limit, used, reserved, msUntilRenewal }: BudgetState): LimitState {
  return { limit, remaining: Math.max(0, limit - used - reserved), resetMs: msUntilRenewal };
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
