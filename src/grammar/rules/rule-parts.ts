import type { GrammarNode } from "../grammar.js";
import { words } from "../grammar-nodes.js";

// The number of parts is the client's: too great for the arguments of a call.

/** Parts that follow each other. */
export function sequenceOf(parts: readonly GrammarNode[]): GrammarNode {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { type: "sequence", parts };
}

/** One of some parts. Literals are one list of words, which is looked up rather than tried one by one. */
export function choiceOf(options: readonly GrammarNode[]): GrammarNode {
  const [first] = options;
  if (options.length === 1 && first !== undefined) return first;
  const literals = options.flatMap((option) => (option.type === "words" ? option.words : []));
  const others = options.filter(({ type }) => type !== "words");
  if (literals.length === 0) return { type: "choice", options };
  if (others.length === 0) return words(literals);
  return { type: "choice", options: [words(literals), ...others] };
}
