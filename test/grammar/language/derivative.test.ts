import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNullable } from "../../../src/grammar/language/first-symbols.js";
import {
  behind,
  build,
  has,
  matchesByDefinition,
  regularNode,
  textsUpTo,
} from "./small-languages.js";

const TEXTS = textsUpTo(5);

describe("derivative", () => {
  it("accepts exactly the texts that match a regular grammar by definition", () => {
    fc.assert(
      fc.property(regularNode, (node) => {
        const built = build(node);
        for (const text of TEXTS)
          expect(has(built, text), text).toBe(matchesByDefinition(node, text));
      }),
    );
  });

  it("is a dead end as soon as a lexeme cannot be completed", () => {
    fc.assert(
      fc.property(regularNode, (of) => {
        const built = build({ type: "lexeme", of });
        for (const text of textsUpTo(3).slice(1)) {
          const isDead = behind(built, text) === built.store.nothing;
          const canBeCompleted = TEXTS.some((rest) => matchesByDefinition(of, text + rest));
          if (canBeCompleted) expect(isDead, text).toBe(false);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("yields a finite number of states", () => {
    fc.assert(
      fc.property(regularNode, (node) => {
        const built = build(node);
        const states = new Set([built.expression]);
        for (const state of states) {
          for (const text of ["a", "b"]) states.add(behind({ ...built, expression: state }, text));
          expect(states.size).toBeLessThan(500);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("a multiple expression", () => {
  it.each([1, 2, 3, 7, 10, 12])("recognises multiples of %i by their digits", (divisor) => {
    const built = build({ type: "multiple", divisor });
    for (let number = 0; number < 200; number++) {
      expect(has(built, String(number)), String(number)).toBe(number % divisor === 0);
    }
  });
});

describe("rules", () => {
  it("may be recursive after other elements", () => {
    const built = build(
      { type: "rule", name: "list" },
      {
        list: {
          type: "choice",
          options: [
            { type: "words", words: ["x"] },
            {
              type: "sequence",
              parts: [
                { type: "words", words: ["("] },
                { type: "rule", name: "list" },
                { type: "words", words: [")"] },
              ],
            },
          ],
        },
      },
    );
    expect(["x", "(x)", "((x))", "((x)", "x)", ""].filter((text) => has(built, text))).toEqual([
      "x",
      "(x)",
      "((x))",
    ]);
  });

  it("must not be left-recursive", () => {
    const left = { type: "rule", name: "left" } as const;
    const built = build(left, {
      left: { type: "sequence", parts: [left, { type: "words", words: ["a"] }] },
    });
    expect(() => isNullable(built.expression)).toThrow("left-recursive");
  });

  it("must exist", () => {
    expect(() => build({ type: "rule", name: "absent" })).toThrow("no rule absent");
  });
});
