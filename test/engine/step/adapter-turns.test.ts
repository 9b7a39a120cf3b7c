import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdapterTurns } from "../../../src/engine/step/adapter-turns.js";

/** A letter for each that computes, a capital one for one with a prompt. */
const usersOf = (sets: string) =>
  [...sets].map((letter, id) => {
    const adapters = letter.toLowerCase();
    return { adapters, id, awaits: letter === adapters ? "next" : "first" } as const;
  });

/** Adapter set of each step, given the sets with work in it, and the number of steps per round. */
function turnsOf(steps: readonly string[], stepsOfRound = 1): string[] {
  const turns = new AdapterTurns(stepsOfRound);
  return steps.map((sets, nowMs) =>
    turns
      .next(usersOf(sets), nowMs)
      .map(({ adapters }) => adapters)
      .join(""),
  );
}

describe("the schedule of adapter sets", () => {
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

  test.each([
    ["one set has every step", ["aa", "aa", "a", "a"], "aaaaaa"],
    ["sets keep their turns for some steps", ["ab", "ab", "ab", "ab", "ab", "ab", "ab"], "aaabbba"],
    ["more sets have shorter turns", ["abc", "abc", "abc", "abc", "abc", "abc"], "aabbcc"],
    ["and each has a step at least", ["abcdefg", "abcdefg", "abcdefg", "abcdefg"], "abcd"],
    ["a set that has served alone gives way at once", ["a", "a", "ab", "ab", "ab", "ab"], "aabbba"],
    ["a set without work loses the rest of its turn", ["abc", "bc", "abc", "abc"], "abbc"],
    ["a new set waits for the end of a turn", ["ab", "abc", "abc", "abc", "abc"], "aabbc"],
    ["a prompt gets one step, like any other", ["Ab", "Ab", "Ab", "ab"], "abbb"],
    ["a prompt that comes ends the turn of its set", ["ab", "Ab", "Ab", "Ab", "Ab"], "abbba"],
  ])("in rounds of six steps: %s", (_, steps, turns) => {
    expect(turnsOf(steps, 6).join("")).toBe(turns);
  });

  const work = fc.string({ unit: fc.constantFrom(..."abcde"), maxLength: 8 });
  interface Turns {
    readonly steps: readonly string[];
    readonly turns: readonly string[];
    readonly stepsOfRound: number;
  }
  const check = (property: (turns: Turns) => void) =>
    fc.assert(
      fc.property(
        fc.array(work, { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        (steps, stepsOfRound) =>
          property({ steps, turns: turnsOf(steps, stepsOfRound), stepsOfRound }),
      ),
    );

  test("runs one set at a time, with all of its generations", () => {
    check(({ steps, turns }) => {
      for (const [step, sets] of steps.entries()) {
        const [turn = ""] = turns[step] ?? "";
        const whole = [...sets].filter((set) => set === turn).join("");
        expect(turns[step]).toBe(whole);
        expect(turn === "").toBe(sets === "");
      }
    });
  });

  test("runs each set within two rounds, with any additions and ends", () => {
    check(({ steps, turns, stepsOfRound }) => {
      const stepsOfTurn = Math.ceil(stepsOfRound / 2);
      for (const set of "abcde") {
        let waits = 0;
        let largestRound = 0;
        for (const [step, sets] of steps.entries()) {
          const isWaiting = sets.includes(set) && !turns[step]?.includes(set);
          waits = isWaiting ? waits + 1 : 0;
          largestRound = isWaiting ? Math.max(largestRound, new Set(sets).size) : 0;
          expect(waits).toBeLessThanOrEqual(2 * largestRound * stepsOfTurn);
        }
      }
    });
  });

  test("keeps no state of sets that have ended: they return as new ones", () => {
    const turns = new AdapterTurns(1);
    for (let set = 0; set < 100; set++)
      turns.next(usersOf(String.fromCodePoint(0x4e00 + set)), set);
    expect(turns.next(usersOf("ab"), 100)).toEqual([{ adapters: "a", id: 0, awaits: "next" }]);
  });
});
