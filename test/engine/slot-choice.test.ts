import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseSlot, type FreeSlot } from "../../src/engine/slot-choice.js";

const slot = (id: number, heldTokens: number[] = [], lastUsed = 0): FreeSlot => ({
  id,
  heldTokens,
  lastUsed,
});
const others = (length: number) => Array.from({ length }, (_, index) => 100 + index);

describe("chooseSlot", () => {
  test.each<{ rule: string; free: FreeSlot[]; prompt: number[]; chosen: number | undefined }>([
    { rule: "none is free", free: [], prompt: [1], chosen: undefined },
    {
      rule: "the lowest id among unused slots",
      free: [slot(2), slot(0), slot(1)],
      prompt: [1, 2],
      chosen: 0,
    },
    {
      rule: "the longest shared prefix",
      free: [slot(0, [1, 2], 5), slot(1, [1, 2, 3], 4), slot(2)],
      prompt: [1, 2, 3, 4],
      chosen: 1,
    },
    {
      rule: "the lowest id among equal prefixes",
      free: [slot(3, [1, 2], 1), slot(1, [1, 2], 9)],
      prompt: [1, 2, 3],
      chosen: 1,
    },
    {
      rule: "a slot that holds half of the prompt",
      free: [slot(0), slot(1, [1, 2, ...others(50)], 1)],
      prompt: [1, 2, 3, 4],
      chosen: 1,
    },
    {
      rule: "a slot that holds little else than what is shared",
      free: [slot(0), slot(1, [1, 2, 9, 9], 1)],
      prompt: [1, 2, ...others(50)],
      chosen: 1,
    },
    {
      rule: "an empty slot rather than another conversation of which little is shared",
      free: [slot(0, [1, 2, ...others(50)], 1), slot(1)],
      prompt: [1, 2, 3, 4, 5, 6],
      chosen: 1,
    },
    {
      rule: "a shorter prefix that is worth reusing rather than a longer one that is not",
      free: [slot(0, [1, 2, 3, ...others(50)], 1), slot(1, [1, 2], 2)],
      prompt: [1, 2, 3, 4, 5, 6, 7, 8],
      chosen: 1,
    },
    {
      rule: "the least recently used when none is empty and nothing is shared",
      free: [slot(0, [7], 3), slot(1, [8], 1), slot(2, [9], 2)],
      prompt: [1],
      chosen: 1,
    },
    {
      rule: "the lowest id among slots used at the same time",
      free: [slot(1, [8], 1), slot(0, [7], 1)],
      prompt: [1],
      chosen: 0,
    },
    {
      rule: "an emptied slot rather than the least recently used",
      free: [slot(0, [7], 1), slot(1, [], 9)],
      prompt: [1],
      chosen: 1,
    },
    {
      rule: "the first emptied slot, however long ago the others were used",
      free: [slot(0, [], 9), slot(1, [], 1), slot(2, [7], 0)],
      prompt: [1],
      chosen: 0,
    },
  ])("$rule", ({ free, prompt, chosen }) => {
    expect(chooseSlot(free, prompt)?.id).toBe(chosen);
    expect(chooseSlot(free.toReversed(), prompt)?.id).toBe(chosen);
  });

  test("always finds a slot while one is free, without touching the list", () => {
    const tokens = fc.array(fc.nat(2), { maxLength: 6 });
    const slots = fc.uniqueArray(
      fc.record({ id: fc.nat(9), heldTokens: tokens, lastUsed: fc.nat(20) }),
      { selector: ({ id }) => id, minLength: 1 },
    );
    fc.assert(
      fc.property(slots, tokens, (free, prompt) => {
        const before = structuredClone(free);
        expect(free).toContain(chooseSlot(free, prompt));
        expect(free).toEqual(before);
      }),
    );
  });
});
