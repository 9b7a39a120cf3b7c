import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../src/core/usage.js";
import { RecentTotals } from "../../src/usage/recent-totals.js";
import { someUsage } from "../support/some-usage.js";

const at = (text: string) => Date.parse(text);
const tokens = (promptTokens: number) => someUsage({ promptTokens });

describe("totals of the current month", () => {
  it("are summed per key since the start of a day", () => {
    const recent = new RecentTotals();
    recent.add("alice", at("2026-11-01T00:00:00Z"), tokens(1));
    recent.add("alice", at("2026-11-02T23:59:59Z"), tokens(10));
    recent.add("alice", at("2026-11-03T00:00:00Z"), tokens(100));
    recent.add("bob", at("2026-11-03T00:00:00Z"), tokens(1000));
    const sumOf = (key: string | undefined, since: string) =>
      recent.sumSince(key, at(since)).promptTokens;
    expect(sumOf("alice", "2026-11-03")).toBe(100);
    expect(sumOf("alice", "2026-11-02")).toBe(110);
    expect(sumOf("alice", "2026-11-01")).toBe(111);
    expect(sumOf("bob", "2026-11-01")).toBe(1000);
    expect(sumOf("carol", "2026-11-01")).toBe(0);
  });

  it("count requests without a key under no name", () => {
    const recent = new RecentTotals();
    recent.add("", at("2026-11-03"), tokens(5));
    expect(recent.sumSince(undefined, at("2026-11-01"))).toMatchObject({
      requests: 1,
      promptTokens: 5,
    });
  });

  it("begin with stored days", () => {
    const recent = new RecentTotals([
      { ...NO_USAGE, key: "alice", dayMs: at("2026-11-02"), requests: 4 },
    ]);
    recent.add("alice", at("2026-11-02T10:00:00Z"), someUsage());
    expect(recent.sumSince("alice", at("2026-11-02")).requests).toBe(5);
  });

  it("forget the previous month at the first usage of the next one", () => {
    const recent = new RecentTotals();
    recent.add("alice", at("2026-11-30T23:59:59Z"), tokens(1));
    recent.add("bob", at("2026-12-01T00:00:00Z"), tokens(2));
    expect(recent.sumSince("alice", 0).promptTokens).toBe(0);
    expect(recent.sumSince("bob", at("2026-12-01")).promptTokens).toBe(2);
  });

  it("do not return to an earlier month if the clock is set back", () => {
    const recent = new RecentTotals();
    recent.add("alice", at("2026-12-01T00:00:00Z"), tokens(1));
    recent.add("alice", at("2026-11-30T23:00:00Z"), tokens(2));
    recent.add("alice", at("2026-12-01T01:00:00Z"), tokens(4));
    expect(recent.sumSince("alice", at("2026-12-01")).promptTokens).toBe(5);
  });
});
