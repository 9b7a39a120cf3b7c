import type { CodePointRange, GrammarNode } from "./grammar.js";

/** Matches nothing. */
export const NOTHING: GrammarNode = { type: "words", words: [] };
/** The empty text. */
export const EMPTY: GrammarNode = { type: "sequence", parts: [] };

/** One text. */
export function text(word: string): GrammarNode {
  return word === "" ? EMPTY : { type: "words", words: [word] };
}

/** One of several texts. */
export function words(list: readonly string[]): GrammarNode {
  return { type: "words", words: list };
}

/** One character of these, in UTF-8. */
export function character(...ranges: readonly CodePointRange[]): GrammarNode {
  return { type: "character", ranges, writing: "plain" };
}

/** One character of these as it is written within a JSON string. */
export function jsonCharacter(
  ranges: readonly CodePointRange[],
  writing: "in-json" | "in-json-freely" = "in-json",
): GrammarNode {
  return { type: "character", ranges, writing };
}

export function sequence(...parts: readonly GrammarNode[]): GrammarNode {
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "sequence", parts };
}

export function choice(...options: readonly GrammarNode[]): GrammarNode {
  return options.length === 1 && options[0] !== undefined
    ? options[0]
    : { type: "choice", options };
}

/** Absent `max`: no limit. */
export function repeat(of: GrammarNode, min: number, max?: number): GrammarNode {
  return { type: "repeat", of, min, max };
}

export function optional(of: GrammarNode): GrammarNode {
  return repeat(of, 0, 1);
}

export function intersection(...parts: readonly GrammarNode[]): GrammarNode {
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "intersection", parts };
}

export function complement(of: GrammarNode): GrammarNode {
  return { type: "complement", of };
}

export function lexeme(of: GrammarNode): GrammarNode {
  return { type: "lexeme", of };
}

export function rule(name: string): GrammarNode {
  return { type: "rule", name };
}
