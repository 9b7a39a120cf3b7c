import type { GrammarNode } from "../../../core/grammar.js";
import { repeat, rule, sequence } from "../../../core/grammar-nodes.js";
import { choiceOf } from "../rules/rule-parts.js";
import { IGNORED, isRule } from "./names.js";

interface Rules {
  readonly root: GrammarNode;
  readonly rules: ReadonlyMap<string, GrammarNode>;
}

const SPACE = rule(IGNORED);

/** Rules with any number of ignored texts at the beginning and behind each terminal. */
export function withIgnored({ root, rules }: Rules, ignored: readonly GrammarNode[]): Rules {
  if (ignored.length === 0) return { root, rules };
  const spaced = [...rules].map(([name, body]): [string, GrammarNode] => [
    name,
    isRule(name) ? withSpace(body) : body,
  ]);
  return {
    root: sequence(SPACE, root),
    rules: new Map([...spaced, [IGNORED, repeat(choiceOf(ignored), 0)]]),
  };
}

/** The body of a rule, in which a literal or a terminal's name is a terminal. */
function withSpace(node: GrammarNode): GrammarNode {
  switch (node.type) {
    case "words":
    case "character":
      return sequence(node, SPACE);
    case "rule":
      return isRule(node.name) ? node : sequence(node, SPACE);
    case "sequence":
      return { ...node, parts: node.parts.map(withSpace) };
    case "choice":
      return { ...node, options: node.options.map(withSpace) };
    case "repeat":
      return { ...node, of: withSpace(node.of) };
    default:
      return node;
  }
}
