import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyLimits } from "../../../src/core/api-keys.js";
import type { SettleTokens, TokenAllowance } from "../../../src/core/caller.js";
import { NO_USAGE, type RecentUsage } from "../../../src/core/usage.js";
import { BudgetLedger, findExhausted } from "../../../src/http/keys/budget-ledger.js";
import { refusal } from "../../support/refusal.js";

const NOW = Date.parse("2026-05-20T22:00:00Z");

function ledgerWith(usage: RecentUsage = { sumSince: () => NO_USAGE }) {
  const clock = { ms: NOW };
  const ledger = new BudgetLedger({ usage: () => usage, now: () => clock.ms });
  const open = (limits: KeyLimits, name = "alice", group?: string) =>
    ledger.open({ name, limits, ...(group !== undefined && { group }) });
  return { clock, ledger, open };
}

const admit = (allowance: TokenAllowance, promptTokens: number, maxTokens: number) => {
  const [settle] = allowance.admit([{ promptTokens, maxTokens }]);
  if (settle === undefined) throw new Error("expected one answer");
  return settle;
};

describe("a budget of tokens", () => {
  test("admits requests while a token is left, and refuses them until the renewal", () => {
    const { clock, open } = ledgerWith();
    const account = open({ tokensPerDay: 100 });
    account.expectUnused();
    admit(account.openAllowance(), 60, 100)(39);
    account.expectUnused();
    admit(account.openAllowance(), 20, 10)(5);
    const error = refusal(() => account.expectUnused());
    expect(error).toMatchObject({ code: "insufficient_quota", retryAfterSeconds: 7200 });
    expect(error.message).toBe(
      "tokens-per-day: expected at most 100 tokens in a UTC day with the API key alice, used 124; it renews at 2026-05-21T00:00:00Z.",
    );
    expect(refusal(() => admit(account.openAllowance(), 1, 1)).code).toBe("insufficient_quota");
    clock.ms = NOW + 7_200_000;
    account.expectUnused();
    expect(account.budgets).toMatchObject([{ used: 0, limit: 100 }]);
  });

  test("refuses a request while running ones reserve the rest", () => {
    const { open } = ledgerWith();
    const account = open({ tokensPerMonth: 100 });
    const settle = admit(account.openAllowance(), 10, 90);
    const error = refusal(() => admit(account.openAllowance(), 1, 1));
    expect(error).toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 5 });
    expect(error.message).toBe(
      "tokens-per-month: expected at most 100 tokens in a UTC month with the API key alice, used 0; running requests reserve 100; it renews at 2026-06-01T00:00:00Z.",
    );
    // The arrival of requests is not refused: the reservation may be settled before they start.
    account.expectUnused();
    settle(5);
    admit(account.openAllowance(), 1, 1)(1);
    expect(account.budgets).toMatchObject([{ used: 17, reserved: 0 }]);
  });

  test("does not count answers that never left the queue", () => {
    const { open } = ledgerWith();
    const account = open({ tokensPerDay: 100, requestsPerDay: 10 });
    admit(account.openAllowance(), 10, 50)(undefined);
    expect(account.budgets).toMatchObject([
      { unit: "requests", used: 0, reserved: 0 },
      { unit: "tokens", used: 0, reserved: 0 },
    ]);
  });
});

describe("a budget of requests", () => {
  test("counts a request once, however many answers and turns it has", () => {
    const { open } = ledgerWith();
    const account = open({ requestsPerDay: 2 });
    const allowance = account.openAllowance();
    const answers = [
      { promptTokens: 5, maxTokens: 5 },
      { promptTokens: 0, maxTokens: 5 },
    ];
    for (const settle of allowance.admit(answers)) settle(1);
    admit(allowance, 5, 5)(1);
    expect(account.budgets).toMatchObject([{ used: 1, reserved: 0 }]);
    // The last permitted request may have several turns, too.
    const last = account.openAllowance();
    admit(last, 1, 1)(1);
    admit(last, 1, 1)(1);
    expect(account.budgets).toMatchObject([{ used: 2 }]);
    expect(refusal(() => account.expectUnused()).message).toMatch(
      /^requests-per-day: expected at most 2 requests in a UTC day with the API key alice, used 2;/,
    );
  });

  test("reserves a request until its first answer has run", () => {
    const { open } = ledgerWith();
    const account = open({ requestsPerDay: 1 });
    const allowance = account.openAllowance();
    const settles = allowance.admit([
      { promptTokens: 1, maxTokens: 1 },
      { promptTokens: 0, maxTokens: 1 },
    ]);
    expect(account.budgets).toMatchObject([{ used: 0, reserved: 1 }]);
    expect(refusal(() => admit(account.openAllowance(), 1, 1)).code).toBe("rate_limit_exceeded");
    settles[0]?.(undefined);
    expect(account.budgets).toMatchObject([{ used: 0, reserved: 1 }]);
    settles[1]?.(1);
    expect(account.budgets).toMatchObject([{ used: 1, reserved: 0 }]);
  });
});

describe("a group", () => {
  test("has one budget for all of its keys", () => {
    const { ledger, open } = ledgerWith();
    ledger.setGroups([{ name: "team", budgets: { tokensPerDay: 100 } }]);
    const [alice, bob, eve] = [open({}, "alice", "team"), open({}, "bob", "team"), open({}, "eve")];
    admit(alice.openAllowance(), 50, 10)(10);
    admit(bob.openAllowance(), 40, 10)(10);
    expect(refusal(() => alice.expectUnused()).message).toBe(
      "tokens-per-day: expected at most 100 tokens in a UTC day with the group team, used 110; it renews at 2026-05-21T00:00:00Z.",
    );
    expect(refusal(() => bob.expectUnused()).code).toBe("insufficient_quota");
    eve.expectUnused();
    ledger.setGroups([{ name: "team", budgets: { tokensPerDay: 200 } }]);
    alice.expectUnused();
  });

  test("loses the usage of a key that leaves it", () => {
    const { ledger, open } = ledgerWith();
    ledger.setGroups([{ name: "team", budgets: { tokensPerDay: 100 } }]);
    const bob = open({}, "bob", "team");
    admit(open({}, "alice", "team").openAllowance(), 100, 10)(10);
    expect(refusal(() => bob.expectUnused()).code).toBe("insufficient_quota");
    open({}, "alice");
    bob.expectUnused();
  });
});

test("the stored usage of the day and of the month counts", () => {
  const sums = new Map([
    [
      Date.parse("2026-05-20"),
      { ...NO_USAGE, requests: 1, promptTokens: 30, completionTokens: 12 },
    ],
    [Date.parse("2026-05-01"), { ...NO_USAGE, requests: 9, promptTokens: 500 }],
  ]);
  const { open } = ledgerWith({ sumSince: (_, startMs) => sums.get(startMs) ?? NO_USAGE });
  expect(
    open({ tokensPerDay: 100, tokensPerMonth: 1000, requestsPerMonth: 5 }).budgets,
  ).toMatchObject([
    { unit: "requests", period: "month", used: 9 },
    { unit: "tokens", period: "day", used: 42 },
    { unit: "tokens", period: "month", used: 500 },
  ]);
});

test("of several budgets that are used up, the error names the one that is renewed last", () => {
  const { open } = ledgerWith();
  const account = open({ tokensPerDay: 10, tokensPerMonth: 10, requestsPerDay: 1 });
  admit(account.openAllowance(), 10, 10)(0);
  expect(findExhausted(account.budgets, 0)).toMatchObject({ unit: "tokens", period: "month" });
});

test("concurrent requests exceed a budget by less than the last admitted one may have", () => {
  const request = fc.record({
    promptTokens: fc.nat(50),
    maxTokens: fc.nat(100),
    usedPart: fc.double({ min: 0, max: 1, noNaN: true }),
    endsAfter: fc.nat(10),
    ending: fc.constantFrom("runs", "never-runs"),
  });
  fc.assert(
    fc.property(
      fc.array(request, { maxLength: 100 }),
      fc.integer({ min: 1, max: 1000 }),
      (requests, limit) => {
        const { open } = ledgerWith();
        const account = open({ tokensPerDay: limit });
        const running: { step: number; used: number; settle: SettleTokens }[] = [];
        let [sum, mostOfOne] = [0, 0];
        const end = (step: number) => {
          for (const one of running.filter((each) => each.step <= step)) {
            running.splice(running.indexOf(one), 1);
            one.settle(one.used < 0 ? undefined : one.used);
          }
        };
        for (const [step, one] of requests.entries()) {
          end(step);
          const { promptTokens, maxTokens, usedPart, endsAfter, ending } = one;
          const before = account.budgets.map(({ used, reserved }) => used + reserved)[0] ?? 0;
          try {
            const settle = admit(account.openAllowance(), promptTokens, maxTokens);
            expect(before).toBeLessThan(limit);
            const used = Math.round(maxTokens * usedPart);
            running.push({ step: step + endsAfter, used: ending === "runs" ? used : -1, settle });
            if (ending === "runs") sum += promptTokens + used;
            mostOfOne = Math.max(mostOfOne, promptTokens + maxTokens);
          } catch (error) {
            expect(error).toMatchObject({ status: 429 });
            expect(before).toBeGreaterThanOrEqual(limit);
          }
        }
        end(Number.POSITIVE_INFINITY);
        expect(account.budgets).toMatchObject([{ used: sum, reserved: 0 }]);
        expect(sum).toBeLessThan(limit + Math.max(1, mostOfOne));
      },
    ),
  );
});
