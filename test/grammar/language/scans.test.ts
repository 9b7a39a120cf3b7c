import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Trigger } from "../../../src/grammar/grammar.js";
import { derivativeByToken } from "../../../src/grammar/language/derivative.js";
import { isNullable } from "../../../src/grammar/language/first-symbols.js";
import { behind, build, has, textsUpTo } from "./small-languages.js";

const TEXTS = textsUpTo(6);
const triggers = fc
  .uniqueArray(fc.constantFrom("a", "ab", "ba", "aba", "bb", "abab", "bba"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((texts) => texts.map((text): Trigger => ({ type: "text", text })));

/** End of the first trigger in a text; `undefined` if there is none. */
function endOfFirst(text: string, ends: readonly Trigger[]): number | undefined {
  for (let end = 1; end <= text.length; end++) {
    if (ends.some((trigger) => text.slice(0, end).endsWith(trigger.text))) return end;
  }
  return undefined;
}

describe("the scan until", () => {
  it("accepts texts that end with their first trigger", () => {
    fc.assert(
      fc.property(triggers, (ends) => {
        const built = build({ type: "until", ends });
        for (const text of TEXTS) {
          expect(has(built, text), text).toBe(endOfFirst(text, ends) === text.length);
        }
      }),
    );
  });
});

describe("the scan without", () => {
  it("accepts texts without a trigger", () => {
    fc.assert(
      fc.property(triggers, (ends) => {
        const built = build({ type: "without", ends });
        for (const text of TEXTS) {
          expect(has(built, text), text).toBe(endOfFirst(text, ends) === undefined);
        }
      }),
    );
  });
});

describe("control tokens", () => {
  const ends: readonly Trigger[] = [
    { type: "control-token", text: "[CALL]" },
    { type: "text", text: "<call>" },
  ];
  const names = ["[CALL]", "[OTHER]"];

  it("end a scan if they are triggers, and otherwise restart the search for text triggers", () => {
    const built = build({ type: "until", ends }, {}, names);
    const { store } = built;
    const begun = behind(built, "x<cal");
    expect(isNullable(derivativeByToken(store, begun, 1_000))).toBe(true);
    const restarted = derivativeByToken(store, begun, 1_001);
    expect(isNullable(behind({ store, expression: restarted }, "l>"))).toBe(false);
    expect(isNullable(behind({ store, expression: restarted }, "<call>"))).toBe(true);
  });

  it("are dead ends if they are excluded from the text", () => {
    const { store, expression } = build({ type: "without", ends }, {}, names);
    expect(derivativeByToken(store, expression, 1_000)).toBe(store.nothing);
    expect(derivativeByToken(store, expression, 1_001)).not.toBe(store.nothing);
  });

  it("do not match their text", () => {
    const built = build({ type: "control-token", text: "[CALL]" }, {}, names);
    expect(has(built, "[CALL]")).toBe(false);
    expect(isNullable(derivativeByToken(built.store, built.expression, 1_000))).toBe(true);
    expect(derivativeByToken(built.store, built.expression, 1_001)).toBe(built.store.nothing);
  });

  it("that the model lacks match their text", () => {
    expect(has(build({ type: "control-token", text: "[ABSENT]" }, {}, names), "[ABSENT]")).toBe(
      true,
    );
    const until = build({ type: "until", ends: [{ type: "control-token", text: "[ABSENT]" }] });
    expect(has(until, "x[ABSENT]")).toBe(true);
  });

  it("are supported in sequences, choices, repetitions and rules", () => {
    const token = { type: "control-token", text: "[CALL]" } as const;
    const { store, expression } = build(
      {
        type: "sequence",
        parts: [
          { type: "repeat", of: { type: "rule", name: "call" }, min: 2, max: 2 },
          { type: "words", words: ["."] },
        ],
      },
      { call: { type: "choice", options: [token, { type: "words", words: ["-"] }] } },
      names,
    );
    const once = derivativeByToken(store, expression, 1_000);
    const twice = derivativeByToken(store, once, 1_000);
    expect(isNullable(behind({ store, expression: twice }, "."))).toBe(true);
    expect(derivativeByToken(store, twice, 1_000)).toBe(store.nothing);
  });
});
