import { describe, expect, it } from "vitest";
import { computeQuota, computeTotalLimits, expectWithinQuota } from "../../src/core/store-quota.js";
import { refusal } from "../support/refusal.js";

const MIB = 2 ** 20;
const limits = { entries: 10_000, items: 1_000_000, bytes: 64 * MIB, idleMs: 5 };

describe("the quota of an owner", () => {
  it.each([
    ["the whole store without keys or with one key", 1, [10_000, 1_000_000, 64]],
    ["the whole store if no key may store anything", 0, [10_000, 1_000_000, 64]],
    ["a half of the store for two owners", 2, [5_000, 500_000, 32]],
    ["a tenth of the store for ten owners", 10, [1_000, 100_000, 6.4]],
    ["a sixteenth of the store for sixteen owners", 16, [625, 62_500, 4]],
    ["a sixteenth of the store for a thousand owners", 1_000, [625, 62_500, 4]],
  ])("is %s", (_, owners, [entries, items, mib = 0]) => {
    const bytes = Math.floor(mib * MIB);
    expect(computeQuota(limits, owners)).toEqual({ entries, items, bytes, idleMs: 5 });
  });

  it("adds up to the limits for at most sixteen owners, and exceeds them for more", () => {
    for (const owners of [0, 1, 2, 3, 16])
      expect(computeTotalLimits(limits, owners)).toEqual(limits);
    expect(computeTotalLimits(limits, 32)).toMatchObject({ entries: 20_000, bytes: 128 * MIB });
  });

  it("is named in the error with the size of the rejected object", () => {
    const quota = { items: 3, bytes: 100 };
    const whole = { kind: "conversation", quota, size: quota } as const;
    expect(() => expectWithinQuota({ ...whole, owner: "alice" })).not.toThrow();
    const tooLarge = { ...whole, size: { items: 3, bytes: 101 } };
    expect(refusal(() => expectWithinQuota({ ...tooLarge, owner: "alice" }))).toMatchObject({
      code: "storage_quota_exceeded",
      status: 507,
      message:
        "The conversation cannot be stored: expected at most 100 bytes and 3 items, the quota of the key 'alice' for all its conversations, got 101 bytes and 3 items.",
    });
    const tooMany = { ...whole, size: { items: 4, bytes: 1 } };
    expect(refusal(() => expectWithinQuota({ ...tooMany, owner: "" })).message).toContain(
      "the quota of this server for all its conversations, got 1 bytes and 4 items",
    );
  });
});
