import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RegexError } from "../../../src/grammar/errors.js";
import type { CharacterEncoding } from "../../../src/grammar/grammar.js";
import { parseRegex } from "../../../src/grammar/regex/parse-regex.js";
import { type MatchPlace, regexGrammar } from "../../../src/grammar/regex/regex-grammar.js";
import { accepts, followed } from "../../support/follow-grammar.js";
import { generatedRegex, textsFor } from "./generated-regex.js";

const RUNS = Number(process.env.RUNS ?? 300);

function grammarOf(pattern: string, place: MatchPlace, encoding: CharacterEncoding = "plain") {
  return followed({ root: regexGrammar(parseRegex(pattern), place, encoding), rules: {} });
}

/** The inside of a JSON string; `escaped`: in ASCII. */
function inJson(text: string, form: "itself" | "escaped"): string {
  const inside = JSON.stringify(text).slice(1, -1);
  if (form === "itself") return inside;
  return inside.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Result of `RegExp`. V8 also searches for matches in the middle of a surrogate pair, which `y`
 * prevents.
 */
function matches(source: string, place: MatchPlace, text: string): boolean {
  if (place === "whole-text") return new RegExp(`^(?:${source})$`, "u").test(text);
  const expression = new RegExp(source, "uy");
  const characters = [...text];
  return [...characters, ""].some((_, index) => {
    expression.lastIndex = characters.slice(0, index).join("").length;
    return expression.test(text);
  });
}

const draws = fc
  .infiniteStream(fc.nat())
  .map((stream) => (below: number) => stream.next().value % below);

describe("regexGrammar", () => {
  test.each<MatchPlace>(["whole-text", "anywhere"])(
    "matches like RegExp: %s",
    (place) => {
      const seen = { matched: 0, unmatched: 0 };
      fc.assert(
        fc.property(generatedRegex, draws, (generated, draw) => {
          const { source } = generated;
          const plain = grammarOf(source, place);
          const encoded = grammarOf(source, place, "in-json");
          for (const text of textsFor(generated, draw)) {
            const isMatch = matches(source, place, text);
            seen[isMatch ? "matched" : "unmatched"]++;
            expect(accepts(plain, text), text).toBe(isMatch);
            for (const form of ["itself", "escaped"] as const) {
              expect(accepts(encoded, inJson(text, form)), inJson(text, form)).toBe(isMatch);
            }
          }
        }),
        { numRuns: RUNS },
      );
      expect(seen.matched).toBeGreaterThan(RUNS / 2);
      expect(seen.unmatched).toBeGreaterThan(RUNS / 2);
    },
    120_000,
  );

  test.each([
    ["(a($|/))*$", ["a/a/a", "", "a/b", "a/"]],
    ["^(?:a|$)+$", ["", "aa", "ab"]],
    ["^($|a)b", ["b", "ab", "aab"]],
    ["a$^", ["a", ""]],
    ["$(?=a)", ["", "a"]],
    ["^(?=.*\\d)(?=.*[a-z]).{4,}$", ["abc1", "abcd", "1234", "a1"]],
    ["^(?!-)[a-z-]{1,5}$", ["a-b", "-ab"]],
    ["a?(?!^)b", ["b", "ab", "xb"]],
    ["(?:^|,)x(?:,|$)", ["x", "a,x,b", "ax", "xb"]],
    ["^(?:(?!b)[a-c]){3}$", ["aca", "abc"]],
    ["\\A[0-9]+\\Z", ["12", "a12", "12\n"]],
  ])("%s matches the same texts of %j as RegExp", (pattern, texts) => {
    const expression = new RegExp(pattern.replace("\\A", "^").replace("\\Z", "$"), "u");
    const grammar = grammarOf(pattern, "anywhere");
    const matching = texts.filter((text) => expression.test(text));
    expect(texts.filter((text) => accepts(grammar, text))).toEqual(matching);
  });

  test.each([
    ["(?:(?!b).)*", "expected at most 20 repetitions of a part with a look-ahead"],
    ["(a|^b){60}", "expected at most 50 repetitions of a part with an assertion"],
    ["(a|^b)".repeat(60), "expected at most 50 consecutive parts with an assertion"],
    ["(?=a)".repeat(240), "expected at most 200 look-aheads"],
  ])("rejects $0", (pattern, message) => {
    expect(() => grammarOf(pattern, "anywhere")).toThrow(new RegexError(message));
  });
});
