import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdapterTurns } from "../../../src/engine/step/adapter-turns.js";

/** One letter per generation with work; a capital letter has a prompt. */
const usersOf = (sets: string) =>
  [...sets].map((letter, id) => {
    const adapters = letter.toLowerCase();
    return { adapters, id, awaitedToken: letter === adapters ? "next" : "first" } as const;
  });

/** Adapter set of each step, given the sets with work and the number of steps per round. */
function turnsOf(steps: readonly string[], stepsOfRound = 1): string[] {
  const turns = new AdapterTurns(stepsOfRound);
  return steps.map((sets, nowMs) =>
    turns
      .next(usersOf(sets), nowMs)
      .map(({ adapters }) => adapters)
      .join(""),
  );
}

describe("scheduling of adapter sets", () => {
  test.each([
    ["no set runs when no generation has work", [""], [""]],
    ["a single set runs in every step, with all of its generations", ["aaa", "aa"], ["aaa", "aa"]],
    ["two sets alternate", ["ab", "ab", "ab", "ab"], ["a", "b", "a", "b"]],
    ["all generations of a set run together", ["abab", "abab"], ["aa", "bb"]],
    ["three sets run in rotation", ["abc", "abc", "abc", "abc"], ["a", "b", "c", "a"]],
    ["a new set runs next", ["ab", "ab", "abc", "abc"], ["a", "b", "c", "a"]],
    ["a set that has run alone yields to a new set", ["a", "a", "ab", "ab"], ["a", "a", "b", "a"]],
    ["a set without work is skipped", ["abc", "ac", "ac", "abc"], ["a", "c", "a", "b"]],
    [
      "a set that returns is treated as new",
      ["ab", "ab", "b", "ab", "ab"],
      ["a", "b", "b", "a", "b"],
    ],
  ])("%s", (_, steps, turns) => {
    expect(turnsOf(steps)).toEqual(turns);
  });

  test.each([
    ["a single set runs in every step", ["aa", "aa", "a", "a"], "aaaaaa"],
    [
      "a set runs for several consecutive steps",
      ["ab", "ab", "ab", "ab", "ab", "ab", "ab"],
      "aaabbba",
    ],
    ["more sets get shorter time slices", ["abc", "abc", "abc", "abc", "abc", "abc"], "aabbcc"],
    ["each set gets at least one step", ["abcdefg", "abcdefg", "abcdefg", "abcdefg"], "abcd"],
    [
      "a set that has run alone yields to a new set at once",
      ["a", "a", "ab", "ab", "ab", "ab"],
      "aabbba",
    ],
    ["a set without work gives up the rest of its time slice", ["abc", "bc", "abc", "abc"], "abbc"],
    [
      "a new set waits for the end of the current time slice",
      ["ab", "abc", "abc", "abc", "abc"],
      "aabbc",
    ],
    ["a set with a prompt gets only one step", ["Ab", "Ab", "Ab", "ab"], "abbb"],
    ["a new prompt ends the time slice of its set", ["ab", "Ab", "Ab", "Ab", "Ab"], "abbba"],
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

  test("runs each set within two rounds, for any sets that start and end", () => {
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

  test("discards the state of ended sets and treats returning sets as new", () => {
    const turns = new AdapterTurns(1);
    for (let set = 0; set < 100; set++)
      turns.next(usersOf(String.fromCodePoint(0x4e00 + set)), set);
    expect(turns.next(usersOf("ab"), 100)).toEqual([
      { adapters: "a", id: 0, awaitedToken: "next" },
    ]);
  });
});
