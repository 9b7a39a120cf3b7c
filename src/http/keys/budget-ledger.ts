import { type ApiKey, type Budgets, budgetRows, type KeyGroup } from "../../core/api-keys.js";
import type { TokenAllowance } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import { sumBy } from "../../core/sum-by.js";
import type { RecentUsage } from "../../core/usage.js";
import {
  type BudgetPeriod,
  type BudgetUnit,
  nextStartOf,
  type UsageAmounts,
  UsageCounter,
} from "./usage-counter.js";

/** A budget and its use. */
export interface BudgetState {
  /** A key, or the group that it belongs to. */
  readonly owner: { readonly type: "key" | "group"; readonly name: string };
  readonly unit: BudgetUnit;
  readonly period: BudgetPeriod;
  readonly limit: number;
  readonly used: number;
  /** Amount that is reserved for running requests. */
  readonly reserved: number;
  /** Time of the renewal, in milliseconds since the Unix epoch. */
  readonly renewsAtMs: number;
  readonly msUntilRenewal: number;
}

/** The attributes of a key that its budgets depend on. */
export type BudgetHolder = Pick<ApiKey, "name" | "group" | "limits">;

export interface BudgetLedgerOptions {
  /** Returns the stored usage. Called first when a key presents its first request. */
  readonly usage: () => RecentUsage;
  /** Milliseconds since the Unix epoch. @default Date.now */
  readonly now?: () => number;
}

/**
 * Counts the usage of keys by their names and compares it with the budgets of keys and groups. The
 * stored usage is read once per key, before its first request; from then on the ledger counts
 * itself, as the stored usage does: a request with its first answer that has left the queue, and
 * the tokens of such answers at their end.
 */
export class BudgetLedger {
  readonly #options: BudgetLedgerOptions;
  readonly #accounts = new Map<string, BudgetAccount>();
  #groups: ReadonlyMap<string, Budgets> = new Map();

  constructor(options: BudgetLedgerOptions) {
    this.#options = options;
  }

  /** Replaces the groups. */
  setGroups(groups: readonly KeyGroup[]): void {
    this.#groups = new Map(groups.map(({ name, budgets }) => [name, budgets]));
  }

  /** Returns the account of a key, with the key's present budgets and group. */
  open(key: BudgetHolder): BudgetAccount {
    const known = this.#accounts.get(key.name);
    const account = known ?? new BudgetAccount(key, this, this.#createCounter(key.name));
    account.key = key;
    this.#accounts.set(key.name, account);
    return account;
  }

  /** Lists the budgets that apply to a key, with their use. */
  listBudgets({ key, counter }: BudgetAccount): readonly BudgetState[] {
    const own = this.#toStates(key.limits, { type: "key", name: key.name }, () => [counter]);
    const { group } = key;
    const shared = group === undefined ? undefined : this.#groups.get(group);
    if (group === undefined || shared === undefined) return own;
    const owner = { type: "group", name: group } as const;
    return [...own, ...this.#toStates(shared, owner, () => this.#countersOf(group))];
  }

  now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #createCounter(name: string): UsageCounter {
    return new UsageCounter((startMs): UsageAmounts => {
      const { requests, promptTokens, completionTokens } = this.#options
        .usage()
        .sumSince(name, startMs);
      return { requests, tokens: promptTokens + completionTokens };
    });
  }

  #countersOf(group: string): readonly UsageCounter[] {
    return [...this.#accounts.values()].flatMap(({ key, counter }) =>
      key.group === group ? [counter] : [],
    );
  }

  #toStates(
    budgets: Budgets,
    owner: BudgetState["owner"],
    listCounters: () => readonly UsageCounter[],
  ): readonly BudgetState[] {
    const rows = budgetRows.filter(({ field }) => budgets[field] !== undefined);
    const counters = rows.length === 0 ? [] : listCounters();
    const nowMs = this.now();
    return rows.map(({ field, unit, period }) => {
      const renewsAtMs = nextStartOf(period, nowMs);
      return {
        owner,
        unit,
        period,
        limit: budgets[field] ?? Number.POSITIVE_INFINITY,
        used: sumBy(counters, (counter) => counter.usedIn(period, nowMs)[unit]),
        reserved: sumBy(counters, (counter) => counter.reserved[unit]),
        renewsAtMs,
        msUntilRenewal: renewsAtMs - nowMs,
      };
    });
  }
}

/** Usage of a key, and the budgets that apply to it. */
export class BudgetAccount {
  key: BudgetHolder;
  readonly counter: UsageCounter;
  readonly #ledger: BudgetLedger;

  /** @param key with the present budgets and group; replaced when they change */
  constructor(key: BudgetHolder, ledger: BudgetLedger, counter: UsageCounter) {
    this.key = key;
    this.#ledger = ledger;
    this.counter = counter;
  }

  /** Budgets of the key and of its group. */
  get budgets(): readonly BudgetState[] {
    return this.#ledger.listBudgets(this);
  }

  get nowMs(): number {
    return this.#ledger.now();
  }

  /**
   * Expects that no budget is used up, when a request arrives.
   * @throws {GgufdError} `insufficient_quota`
   */
  expectUnused(): void {
    const { nowMs } = this;
    // The stored usage is read before the key's first request is stored.
    this.counter.usedIn("month", nowMs);
    this.counter.usedIn("day", nowMs);
    const exhausted = findExhausted(this.budgets, 0);
    if (exhausted !== undefined) throw createQuotaError(exhausted);
  }

  /** Returns the allowance of one request. */
  openAllowance(): TokenAllowance {
    const { counter } = this;
    let request: { readonly state: "new" | "counted" } | Reserved = { state: "new" };
    const countRequest = (requests: 0 | 1) => {
      if (request.state !== "reserved") return;
      request.settle(requests, this.nowMs);
      request = { state: requests === 1 ? "counted" : "new" };
    };
    let waitingAnswers = 0;
    return {
      admit: (answers) => {
        const isNew = request.state === "new";
        this.#expectRoom(this.budgets.filter(({ unit }) => unit === "tokens" || isNew));
        if (isNew) request = { state: "reserved", settle: counter.reserve("requests", 1) };
        waitingAnswers += answers.length;
        return answers.map(({ promptTokens, maxTokens }) => {
          const settle = counter.reserve("tokens", promptTokens + maxTokens);
          return (completionTokens) => {
            waitingAnswers--;
            const hasRun = completionTokens !== undefined;
            settle(hasRun ? promptTokens + completionTokens : 0, this.nowMs);
            if (hasRun) countRequest(1);
            else if (waitingAnswers === 0) countRequest(0);
          };
        });
      },
    };
  }

  #expectRoom(budgets: readonly BudgetState[]): void {
    const exhausted = findExhausted(budgets, 0);
    if (exhausted !== undefined) throw createQuotaError(exhausted);
    const reserved = findExhausted(budgets, 1);
    if (reserved !== undefined) throw createReservedError(reserved);
  }
}

interface Reserved {
  readonly state: "reserved";
  readonly settle: (requests: number, nowMs: number) => void;
}

/**
 * Finds the budget without any rest that is renewed last.
 * @param reservedPart 1: reserved amounts count as used; 0: they do not
 */
export function findExhausted(
  budgets: readonly BudgetState[],
  reservedPart: 0 | 1,
): BudgetState | undefined {
  return budgets
    .filter(({ used, reserved, limit }) => used + reserved * reservedPart >= limit)
    .toSorted((one, other) => other.renewsAtMs - one.renewsAtMs)
    .at(0);
}

function createQuotaError(state: BudgetState): GgufdError {
  const { used, renewsAtMs, msUntilRenewal } = state;
  return new GgufdError(
    "insufficient_quota",
    `${describeBudget(state)}, used ${used}; it renews at ${formatTime(renewsAtMs)}.`,
    { retryAfterSeconds: Math.ceil(msUntilRenewal / 1000) },
  );
}

/** Reserved amounts are released when requests end with fewer tokens than they may have. */
function createReservedError(state: BudgetState): GgufdError {
  const { used, reserved, renewsAtMs } = state;
  return new GgufdError(
    "rate_limit_exceeded",
    `${describeBudget(state)}, used ${used}; running requests reserve ${reserved}; it renews at ${formatTime(renewsAtMs)}.`,
    { retryAfterSeconds: RESERVED_RETRY_SECONDS },
  );
}

/** Time until some running requests have ended. */
const RESERVED_RETRY_SECONDS = 5;

function describeBudget({ owner, unit, period, limit }: BudgetState): string {
  const name = owner.type === "key" ? `the API key ${owner.name}` : `the group ${owner.name}`;
  return `${unit}-per-${period}: expected at most ${limit} ${unit} in a UTC ${period} with ${name}`;
}

function formatTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(".000Z", "Z");
}
