import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listBytes } from "../../../src/grammar/language/byte-sets.js";
import { completionLengths } from "../../../src/grammar/language/completion-length.js";
import { derivative, isProductive } from "../../../src/grammar/language/derivative.js";
import type { Expression } from "../../../src/grammar/language/expression.js";
import type { ExpressionStore } from "../../../src/grammar/language/expression-store.js";
import {
  byteRepresentatives,
  firstBytes,
  isNullable,
} from "../../../src/grammar/language/first-symbols.js";
import { build, regularNode } from "./small-languages.js";

/** The reachable states, with the length of the shortest text to each. */
function statesOf(store: ExpressionStore, language: Expression): ReadonlyMap<Expression, number> {
  const states = new Map([[language, 0]]);
  for (const [state, length] of states) {
    for (let byte = 0; byte < 256; byte++) {
      const next = derivative(store, state, byte);
      if (next !== store.nothing && !states.has(next)) states.set(next, length + 1);
    }
  }
  return states;
}

describe("isProductive", () => {
  it("is true if and only if an accepting state is reachable", () => {
    fc.assert(
      fc.property(regularNode, (node) => {
        const { store, expression } = build(node);
        const accepts = [...statesOf(store, expression).keys()].some(isNullable);
        expect(isProductive(store, expression)).toBe(accepts);
      }),
    );
  });

  it("counts against the work limit", () => {
    const lengths = [997, 991, 983].map((length) => ({
      type: "repeat" as const,
      of: {
        type: "repeat" as const,
        of: { type: "words" as const, words: ["a"] },
        min: length,
        max: length,
      },
      min: 1,
    }));
    const { store, expression } = build({ type: "intersection", parts: lengths });
    expect(() => store.meter.limit(5_000, () => isProductive(store, expression))).toThrow(
      "takes too long",
    );
  });
});

describe("byteRepresentatives", () => {
  it("contains a byte with the same derivative for each byte with a successor state", () => {
    fc.assert(
      fc.property(regularNode, (node) => {
        const { store, expression } = build(node);
        const seen = new Set(
          byteRepresentatives(store, expression).map((byte) => derivative(store, expression, byte)),
        );
        for (const byte of listBytes(firstBytes(store, expression))) {
          expect(seen.has(derivative(store, expression, byte)), String(byte)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("completionLengths", () => {
  it("is never below the length of the shortest completion, from any state", () => {
    fc.assert(
      fc.property(regularNode, (node) => {
        const { store, expression } = build(node);
        if (expression === store.nothing) return;
        const { shortest, longestWay, isOpenEnded } = completionLengths(expression);
        const wayOf = (state: Expression) =>
          Math.min(
            ...[...statesOf(store, state)]
              .filter(([one]) => isNullable(one))
              .map(([, length]) => length),
          );
        if (!expression.isDoubtful) expect(wayOf(expression)).toBeLessThanOrEqual(shortest);
        for (const state of statesOf(store, expression).keys()) {
          if (Number.isFinite(longestWay)) expect(wayOf(state)).toBeLessThanOrEqual(longestWay);
          if (isOpenEnded) expectLongerTexts(store, state, wayOf(state));
        }
      }),
      { numRuns: 50 },
    );
  });
});

/** One completion for each length from the shortest. */
function expectLongerTexts(store: ExpressionStore, from: Expression, shortest: number): void {
  const byte = store.byte(store.bytes.all);
  for (let length = shortest; length < shortest + 4; length++) {
    const ofLength = store.intersection([from, store.repeat(byte, length, length)]);
    expect(isProductive(store, ofLength), String(length)).toBe(true);
  }
}
