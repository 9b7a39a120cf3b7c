import { describe, expect, it } from "vitest";
import {
  type GrammarNode,
  intersection,
  jsonCharacter,
  repeat,
} from "../../../src/grammar/grammar.js";
import { ExpressionBuilder } from "../../../src/grammar/language/build-expression.js";
import { ALL_CODE_POINTS } from "../../../src/grammar/language/code-point-set.js";
import { ExpressionStore } from "../../../src/grammar/language/expression-store.js";
import { Reach } from "../../../src/grammar/mask/bounded-language.js";
import { parseRegex } from "../../../src/grammar/regex/parse-regex.js";
import { regexGrammar } from "../../../src/grammar/regex/regex-grammar.js";

const TOKEN_BYTES = 20;

/** Whether two maximum lengths of the texts that contain a match lead to different token masks. */
function tellsApart(pattern: string, min: number, [one, other]: readonly [number, number]) {
  const store = new ExpressionStore();
  const reach = new Reach(store);
  const builder = new ExpressionBuilder(
    store,
    { root: intersection(), rules: {} },
    () => undefined,
  );
  const inside = regexGrammar(parseRegex(pattern), "anywhere", "in-json");
  const character = jsonCharacter(ALL_CODE_POINTS);
  const within = (max: number) => {
    const node: GrammarNode = intersection(inside, repeat(character, min, max));
    return reach.simplify(builder.build(node), TOKEN_BYTES);
  };
  return within(one) !== within(other);
}

describe("maximum lengths beyond the reach of a token", () => {
  it.each<[string, number]>([
    ["^a+@b$", 0],
    ["^a@b+$", 5],
    ["a@b", 5],
    ["^[^@]+(\\.[^@]*)*.uk", 5],
  ])("are equivalent for %s with at least %i characters", (pattern, min) => {
    expect(tellsApart(pattern, min, [200, 201])).toBe(false);
  });

  it.each<[string, number, readonly [number, number]]>([
    ["^a+@b+$", 5, [22, 23]],
    // After 22 characters only expressions beyond the maximum length may remain.
    ["^a+@(bb)*$", 5, [200, 201]],
    ["^(a{3}|a{300})$", 5, [200, 201]],
  ])("differ for %s with at least %i characters: %j", (pattern, min, lengths) => {
    expect(tellsApart(pattern, min, lengths)).toBe(true);
  });
});
