import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UnsupportedGrammar } from "../../../src/grammar/errors.js";
import { parseGbnf } from "../../../src/grammar/gbnf/parse-gbnf.js";
import { type Grammar, type GrammarNode, intersection } from "../../../src/grammar/grammar.js";
import { mayGetStuck } from "../../../src/grammar/lark/may-get-stuck.js";
import { parseLark } from "../../../src/grammar/lark/parse-lark.js";
import type { TokenGrammar } from "../../../src/grammar/token-grammar.js";
import { followed } from "../../support/follow-grammar.js";
import type { Draw } from "../../support/sample-grammar.js";
import { nextBytes } from "../../support/walk-grammar.js";
import { generatedRules, written } from "../gbnf/generated-gbnf.js";

const without = (mark: string): GrammarNode => ({
  type: "without",
  ends: [{ type: "text", text: mark }],
});

/** `undefined`: no text matches. */
function satisfiable(gbnf: string): Grammar | undefined {
  try {
    return parseGbnf(gbnf);
  } catch (error) {
    if (error instanceof UnsupportedGrammar) return undefined;
    throw error;
  }
}

describe("mayGetStuck", () => {
  test.each([
    ["start: /.*/", "</p>"],
    ['start: "<" /[^>]*/ "x"', "</p>"],
    ['start: "<" NAME "x" | "</q>"\nNAME: /[a-z]+/', "</p>"],
    ['start: "(" start? ")" | "</p" "x"', "</p>"],
    ["start: /(.|\\n){1000,100000}/", "</p>"],
    ['start: (("<"~1000 "x")~1000)~1000', "</p>"],
    ["start: /<[^>]*>?>/", "</p>"],
    ['start: ("<" | "/p" | ">")~3', "</p>"],
  ])("is false for %j without %j", (definition, mark) => {
    expect(mayGetStuck(parseLark(definition), without(mark))).toBe(false);
  });

  test.each([
    ['start: "</p>"', "</p>"],
    ['start: "a" | "b</p>c"', "</p>"],
    ['start: "<" NAME ">"\nNAME: /[a-z\\/]+/', "</p>"],
    ['start: "(" start ")" | "<" end\nend: "/p" close\nclose: ">"', "</p>"],
    ['start: (("<"~1000 "/p")~1000 ">")~1000', "</p>"],
    ["start: /<.{1,1000}>/", "</p>"],
  ])("is true for %j without %j", (definition, mark) => {
    expect(mayGetStuck(parseLark(definition), without(mark))).toBe(true);
  });

  test("is true if an excluded text has no continuation", () => {
    const other: GrammarNode = { type: "complement", of: { type: "words", words: ["ab"] } };
    expect(mayGetStuck(parseLark('start: "a" "b"?'), other)).toBe(true);
    expect(mayGetStuck(parseLark('start: "a" "c"?'), other)).toBe(false);
  });

  test("is never false if an allowed text has no continuation", () => {
    const draws = fc
      .infiniteStream(fc.nat())
      .map((stream) => (below: number) => stream.next().value % below);
    const seen = { free: 0, stuck: 0 };
    fc.assert(
      fc.property(
        generatedRules,
        fc.constantFrom("a", "aa", "a0", "ab", " 1", '"', "é"),
        draws,
        (generated, mark, draw) => {
          const grammar = satisfiable(written(generated, draw));
          fc.pre(grammar !== undefined);
          if (mayGetStuck(grammar, without(mark))) {
            seen.stuck++;
            return;
          }
          const root = intersection(grammar.root, without(mark));
          const both = followed({ root, rules: grammar.rules });
          for (let count = 0; count < 3; count++) expectWayOn(both, draw);
          seen.free++;
        },
      ),
      { numRuns: 150 },
    );
    expect(seen.free).toBeGreaterThan(10);
    expect(seen.stuck).toBeGreaterThan(10);
  });
});

/** Expects a text drawn byte by byte to have a continuation or an end at every state. */
function expectWayOn(grammar: TokenGrammar, draw: Draw): void {
  let state: TokenGrammar["start"] | undefined = grammar.start;
  for (let length = 0; state !== undefined && length < 12; length++) {
    const options: readonly number[] = nextBytes(grammar, state);
    const next = options[draw(Math.max(1, options.length))];
    if (next === undefined) {
      expect(grammar.canEnd(state)).toBe(true);
      return;
    }
    state = grammar.after(state, next);
  }
}
