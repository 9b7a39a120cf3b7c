import type { GrammarNode } from "../grammar.js";
import { codePointSet } from "./code-point-set.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { jsonCharacter } from "./json-characters.js";
import { utf8Characters } from "./utf8.js";

type CharacterNode = Extract<GrammarNode, { type: "character" }>;

/** One character of a set; grammars share many sets, so each is built once. */
export function characterExpression(
  store: ExpressionStore,
  { ranges, writing }: CharacterNode,
): Expression {
  return store.character(`${writing}${ranges.join()}`, () => {
    const set = codePointSet(ranges);
    switch (writing) {
      case "plain":
        return store.choice(set.flatMap((range) => utf8Characters(store, range)));
      case "in-json":
        return jsonCharacter(store, set, "usual");
      case "in-json-freely":
        return jsonCharacter(store, set, "any");
    }
  });
}
