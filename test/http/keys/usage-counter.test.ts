import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextStartOf, startOf, UsageCounter } from "../../../src/http/keys/usage-counter.js";

const at = (text: string) => Date.parse(text);
const nothing = () => ({ requests: 0, tokens: 0 });

test.each([
  ["day", "2026-01-31T23:59:59.999Z", "2026-01-31", "2026-02-01"],
  ["day", "2026-02-01T00:00:00Z", "2026-02-01", "2026-02-02"],
  ["day", "2028-02-29T12:00:00Z", "2028-02-29", "2028-03-01"],
  ["month", "2026-01-31T23:59:59.999Z", "2026-01-01", "2026-02-01"],
  ["month", "2026-12-01T00:00:00Z", "2026-12-01", "2027-01-01"],
] as const)("the %s of %s begins at %s, and the next one at %s", (period, now, start, next) => {
  expect(startOf(period, at(now))).toBe(at(start));
  expect(nextStartOf(period, at(now))).toBe(at(next));
});

describe("a counter", () => {
  test("begins with the stored usage, which it reads once per period", () => {
    const reads: string[] = [];
    const counter = new UsageCounter((startMs) => {
      reads.push(new Date(startMs).toISOString().slice(0, 10));
      return { requests: reads.length, tokens: 100 * reads.length };
    });
    const now = at("2026-05-20T10:00:00Z");
    expect(counter.usedIn("day", now)).toEqual({ requests: 1, tokens: 100 });
    expect(counter.usedIn("month", now)).toEqual({ requests: 2, tokens: 200 });
    counter.reserve("tokens", 50)(7, now);
    expect(counter.usedIn("day", now).tokens).toBe(107);
    expect(counter.usedIn("month", now).tokens).toBe(207);
    expect(reads).toEqual(["2026-05-20", "2026-05-01"]);
  });

  test("counts a reservation in the period in which it is settled", () => {
    const counter = new UsageCounter(nothing);
    const [evening, midnight] = [at("2026-05-31T23:59:00Z"), at("2026-06-01T00:00:00Z")];
    counter.reserve("tokens", 10)(4, evening);
    const settle = counter.reserve("tokens", 50);
    expect(counter.reserved.tokens).toBe(50);
    expect(counter.usedIn("day", midnight).tokens).toBe(0);
    expect(counter.reserved.tokens).toBe(50);
    settle(20, midnight);
    expect(counter.reserved.tokens).toBe(0);
    expect(counter.usedIn("day", midnight).tokens).toBe(20);
    expect(counter.usedIn("month", midnight).tokens).toBe(20);
  });

  test("reads the stored usage again if the clock is set back", () => {
    const counter = new UsageCounter((startMs) => ({
      requests: 0,
      tokens: startMs === at("2026-05-20") ? 5 : 0,
    }));
    expect(counter.usedIn("day", at("2036-01-01T00:00:00Z")).tokens).toBe(0);
    expect(counter.usedIn("day", at("2026-05-20T08:00:00Z")).tokens).toBe(5);
  });

  test("rejects a reservation that is settled twice", () => {
    const settle = new UsageCounter(nothing).reserve("tokens", 5);
    settle(1, 0);
    expect(() => settle(1, 0)).toThrow("a reservation of tokens was settled twice");
  });

  test("is never negative, and equals the sum of what was settled in the period", () => {
    const DAY_MS = 86_400_000;
    const step = fc.record({
      act: fc.constantFrom("reserve", "settle", "wait"),
      amount: fc.nat(1000),
      which: fc.nat(20),
      waitMs: fc.nat(40 * DAY_MS),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const counter = new UsageCounter(nothing);
        const open: { most: number; settle: ReturnType<UsageCounter["reserve"]> }[] = [];
        const settled: { atMs: number; used: number }[] = [];
        let now = at("2026-05-20T10:00:00Z");
        for (const { act, amount, which, waitMs } of steps) {
          if (act === "wait") now += waitMs;
          else if (act === "reserve")
            open.push({ most: amount, settle: counter.reserve("tokens", amount) });
          else {
            const [one] = open.splice(which % Math.max(1, open.length), 1);
            if (one === undefined) continue;
            const used = Math.min(one.most, which * 50);
            one.settle(used, now);
            settled.push({ atMs: now, used });
          }
          expect(counter.reserved.tokens).toBe(open.reduce((sum, { most }) => sum + most, 0));
          for (const period of ["day", "month"] as const) {
            const inPeriod = settled.filter(
              ({ atMs }) => startOf(period, atMs) === startOf(period, now),
            );
            expect(counter.usedIn(period, now).tokens).toBe(
              inPeriod.reduce((sum, { used }) => sum + used, 0),
            );
          }
        }
      }),
    );
  });
});
