import type { GrammarNode } from "../grammar.js";
import { character, choice, complement, intersection, repeat, words } from "../grammar-nodes.js";
import { ALL_CODE_POINTS } from "../language/code-point-set.js";
import type { StringSet } from "./value-set.js";

const ANY_CHARACTER = character(...ALL_CODE_POINTS);

/**
 * The strings of some sets as they are, without quotes and escapes.
 * @returns `"any"`: all strings; `undefined`: none
 */
export function plainStrings(sets: readonly StringSet[]): GrammarNode | "any" | undefined {
  if (sets.length === 0) return undefined;
  const languages = sets.map(plainStringsOf);
  const limited = languages.filter((language) => language !== "any");
  return limited.length < languages.length ? "any" : choice(...limited);
}

function plainStringsOf({
  words: only,
  except,
  languages,
  minLength,
  maxLength,
}: StringSet): GrammarNode | "any" {
  if (only !== undefined) return words(only);
  const max = Number.isFinite(maxLength) ? maxLength : undefined;
  const isLimited = minLength > 0 || max !== undefined;
  if (!isLimited && languages.length === 0 && except.size === 0) return "any";
  const needsCharacters = isLimited || languages.length === 0;
  const length = needsCharacters ? [repeat(ANY_CHARACTER, minLength, max)] : [];
  const others = except.size === 0 ? [] : [complement(words([...except]))];
  return intersection(...languages.map(writtenPlainly), ...others, ...length);
}

/**
 * A language of texts within JSON as a language of the texts that they stand for: both consist of
 * characters, each of which is written in ways that no other one is.
 */
function writtenPlainly(node: GrammarNode): GrammarNode {
  switch (node.type) {
    case "character":
      return { ...node, writing: "plain" };
    case "sequence":
    case "intersection":
      return { ...node, parts: node.parts.map(writtenPlainly) };
    case "choice":
      return { ...node, options: node.options.map(writtenPlainly) };
    case "repeat":
    case "complement":
      return { ...node, of: writtenPlainly(node.of) };
    default:
      // Words of letters and digits only, which are the same in JSON.
      return node;
  }
}
