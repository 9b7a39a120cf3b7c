import type { Grammar, GrammarNode } from "../grammar.js";
import { rule } from "../grammar-nodes.js";
import { wordsInJson } from "../json-schema/string-set.js";

/** How a grammar's texts are written: as they are, or as they stand within a JSON string. */
type Writing = "plain" | "in-json";

/** A grammar in a kind of writing, with rules of names that begin with a prefix. */
export function writtenRules({ root, rules }: Grammar, prefix: string, writing: Writing): Grammar {
  const written = (node: GrammarNode): GrammarNode => {
    switch (node.type) {
      case "words":
        return writing === "plain" ? node : wordsInJson(node.words);
      case "character":
        return { ...node, writing };
      case "rule":
        return rule(nameOf(node.name));
      case "sequence":
        return { ...node, parts: node.parts.map(written) };
      case "choice":
        return { ...node, options: node.options.map(written) };
      case "repeat":
      case "lexeme":
        return { ...node, of: written(node.of) };
      default:
        return node;
    }
  };
  const nameOf = (name: string) => `${prefix}-${name}`;
  return {
    root: written(root),
    rules: Object.fromEntries(
      Object.entries(rules).map(([name, body]) => [nameOf(name), written(body)]),
    ),
  };
}
