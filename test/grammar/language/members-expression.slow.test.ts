import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MembersNode } from "../../../src/grammar/grammar.js";
import { derivative } from "../../../src/grammar/language/derivative.js";
import type { Expression } from "../../../src/grammar/language/expression.js";
import type { ExpressionStore } from "../../../src/grammar/language/expression-store.js";
import { isNullable } from "../../../src/grammar/language/first-symbols.js";
import { build, has } from "./small-languages.js";

const presence = fc.constantFrom("required", "optional");
const NAMED = ["a", "b", "c"];
const ADDITIONAL = ["x", "y", "z"];

/** Members of one letter each, so that a text identifies them. */
const membersNode: fc.Arbitrary<MembersNode> = fc
  .record({
    named: fc.array(presence, { maxLength: 3 }),
    additional: fc.array(fc.constantFrom("required", "any-number"), { maxLength: 3 }),
    min: fc.nat(3),
    max: fc.constantFrom(0, 1, 2, 3, undefined),
  })
  .map(({ named, additional, min, max }) => ({
    type: "members",
    named: named.map((one, index) => ({ presence: one, text: letter(NAMED[index]) })),
    additional: additional.map((one, index) => ({
      presence: one,
      text: letter(ADDITIONAL[index]),
    })),
    separator: letter(","),
    min,
    max,
  }));

function letter(text = "?") {
  return { type: "words", words: [text] } as const;
}

/** All lists of at most this many letters. */
function lists(length: number): readonly (readonly string[])[] {
  const all: (readonly string[])[] = [[]];
  for (const list of all) {
    if (list.length < length) all.push(...[...NAMED, ...ADDITIONAL].map((one) => [...list, one]));
  }
  return all;
}

/** Whether a list of members is allowed by the definition of the node. */
function isAllowed(
  { named, additional, min, max = Number.POSITIVE_INFINITY }: MembersNode,
  list: readonly string[],
): boolean {
  const places = list.map((one) => {
    const index = NAMED.indexOf(one);
    return index >= 0 ? index : NAMED.length;
  });
  const isOrdered = places.every(
    (place, index) => index === 0 || place > (places[index - 1] ?? 0) || place === NAMED.length,
  );
  const known = new Set([
    ...NAMED.slice(0, named.length),
    ...ADDITIONAL.slice(0, additional.length),
  ]);
  const countOf = (one = "") => list.filter((other) => other === one).length;
  return (
    isOrdered &&
    new Set(list).size >= min &&
    list.length <= max &&
    list.every((one) => known.has(one)) &&
    named.every((one, index) => one.presence === "optional" || countOf(NAMED[index]) === 1) &&
    additional.every(
      (one, index) => one.presence === "any-number" || countOf(ADDITIONAL[index]) === 1,
    )
  );
}

/** The reachable states, and those from which an accepting state is reachable. */
function statesOf(store: ExpressionStore, start: Expression) {
  const states = new Set<Expression>([start]);
  const before = new Map<Expression, Expression[]>();
  for (const state of states) {
    for (const byte of Buffer.from("abcxyz,")) {
      const next = derivative(store, state, byte);
      if (next === store.nothing) continue;
      states.add(next);
      before.set(next, [...(before.get(next) ?? []), state]);
    }
  }
  const alive = new Set([...states].filter(isNullable));
  for (const state of alive) for (const one of before.get(state) ?? []) alive.add(one);
  return { states, alive };
}

describe("the members of an object", () => {
  it("are in order, include required members and stay within the counts", () => {
    const candidates = lists(4);
    fc.assert(
      fc.property(membersNode, (node) => {
        const built = build(node);
        for (const list of candidates) {
          expect(has(built, list.join(",")), list.join()).toBe(isAllowed(node, list));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("have no dead ends", () => {
    const candidates = lists(4);
    fc.assert(
      fc.property(membersNode, (node) => {
        const { store, expression } = build(node);
        const { states, alive } = statesOf(store, expression);
        const isSatisfiable = candidates.some((list) => isAllowed(node, list));
        if (isSatisfiable) expect(alive.size).toBe(states.size);
      }),
      { numRuns: 200 },
    );
  });

  it("may be very numerous", () => {
    const named = Array.from({ length: 2_000 }, (_, index) => ({
      presence: "optional" as const,
      text: { type: "words" as const, words: [`"${index}"`] },
    }));
    const built = build({ type: "members", named, additional: [], separator: letter(","), min: 1 });
    expect(has(built, '"0","7","1999"')).toBe(true);
    expect(has(built, '"7","0"')).toBe(false);
  });
});
