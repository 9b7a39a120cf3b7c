import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdapterTurns } from "../../../src/engine/step/adapter-turns.js";

const usersOf = (sets: string) => [...sets].map((adapters, id) => ({ adapters, id }));

/** Whose turn it is in each step, given who has work in it. */
function turnsOf(steps: readonly string[]): string[] {
  const turns = new AdapterTurns();
  return steps.map((sets) =>
    turns
      .next(usersOf(sets))
      .map(({ adapters }) => adapters)
      .join(""),
  );
}

describe("the turns of sets of adapters", () => {
  test.each([
    ["nobody has a turn where nobody has work", [""], [""]],
    ["one set has every turn, with all that compute under it", ["aaa", "aa"], ["aaa", "aa"]],
    ["two sets alternate", ["ab", "ab", "ab", "ab"], ["a", "b", "a", "b"]],
    ["all of a set take part in its turn", ["abab", "abab"], ["aa", "bb"]],
    ["three sets go round", ["abc", "abc", "abc", "abc"], ["a", "b", "c", "a"]],
    ["a new set is next", ["ab", "ab", "abc", "abc"], ["a", "b", "c", "a"]],
    ["one that has served alone gives way", ["a", "a", "ab", "ab"], ["a", "a", "b", "a"]],
    ["a set without work has no turn", ["abc", "ac", "ac", "abc"], ["a", "c", "a", "b"]],
    ["one that comes back is new", ["ab", "ab", "b", "ab", "ab"], ["a", "b", "b", "a", "b"]],
  ])("%s", (_, steps, turns) => {
    expect(turnsOf(steps)).toEqual(turns);
  });

  const work = fc.string({ unit: fc.constantFrom(..."abcde"), maxLength: 8 });
  const check = (property: (steps: readonly string[], turns: readonly string[]) => void) =>
    fc.assert(
      fc.property(fc.array(work, { maxLength: 60 }), (steps) => property(steps, turnsOf(steps))),
    );

  test("are those of one set, with all that compute under it", () => {
    check((steps, turns) => {
      for (const [step, sets] of steps.entries()) {
        const [turn = ""] = turns[step] ?? "";
        const whole = [...sets].filter((set) => set === turn).join("");
        expect(turns[step]).toBe(whole);
        expect(turn === "").toBe(sets === "");
      }
    });
  });

  test("come to each set within two rounds, whatever comes and goes", () => {
    check((steps, turns) => {
      for (const set of "abcde") {
        let waits = 0;
        let largestRound = 0;
        for (const [step, sets] of steps.entries()) {
          const isWaiting = sets.includes(set) && !turns[step]?.includes(set);
          waits = isWaiting ? waits + 1 : 0;
          largestRound = isWaiting ? Math.max(largestRound, new Set(sets).size) : 0;
          expect(waits).toBeLessThanOrEqual(2 * largestRound);
        }
      }
    });
  });

  test("keep nothing of sets that have gone: they come back as new ones", () => {
    const turns = new AdapterTurns();
    for (let set = 0; set < 100; set++) turns.next(usersOf(String.fromCodePoint(0x4e00 + set)));
    expect(turns.next(usersOf("ab"))).toEqual([{ adapters: "a", id: 0 }]);
  });
});
