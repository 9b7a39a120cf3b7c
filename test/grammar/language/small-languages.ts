import fc from "fast-check";
import type { Grammar, GrammarNode } from "../../../src/grammar/grammar.js";
import { ExpressionBuilder } from "../../../src/grammar/language/build-expression.js";
import { derivative } from "../../../src/grammar/language/derivative.js";
import type { Expression } from "../../../src/grammar/language/expression.js";
import { ExpressionStore } from "../../../src/grammar/language/expression-store.js";
import { isNullable } from "../../../src/grammar/language/first-symbols.js";

/** All texts of `a` and `b` with at most this many characters. */
export function textsUpTo(length: number, characters = "ab"): readonly string[] {
  const texts = [""];
  for (const text of texts) {
    if (text.length < length) texts.push(...[...characters].map((one) => text + one));
  }
  return texts;
}

/** Regular grammars over `a` and `b`. */
export const regularNode: fc.Arbitrary<GrammarNode> = fc.letrec<{ node: GrammarNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      type: fc.constant("words" as const),
      words: fc.array(fc.constantFrom("", "a", "b", "ab", "ba", "aab"), { maxLength: 3 }),
    }),
    fc.constantFrom<GrammarNode>(
      { type: "character", ranges: [[0x61, 0x62]], encoding: "plain" },
      { type: "character", ranges: [[0x62, 0x62]], encoding: "plain" },
    ),
    fc.record({
      type: fc.constant("sequence" as const),
      parts: fc.array(tie("node"), { maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant("choice" as const),
      options: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
    }),
    fc
      .record({ of: tie("node"), min: fc.nat(2), more: fc.constantFrom(0, 1, 2, undefined) })
      .map(({ of, min, more }): GrammarNode => {
        const max = more === undefined ? undefined : min + more;
        return { type: "repeat", of, min, max };
      }),
    fc.record({
      type: fc.constant("intersection" as const),
      parts: fc.array(tie("node"), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ type: fc.constant("complement" as const), of: tie("node") }),
    fc.record({ type: fc.constant("lexeme" as const), of: tie("node") }),
  ),
})).node;

/** Whether a regular grammar has a text, by its definition. */
export function matchesByDefinition(node: GrammarNode, text: string): boolean {
  switch (node.type) {
    case "words":
      return node.words.includes(text);
    case "character":
      return (
        text.length === 1 &&
        node.ranges.some(
          ([first, last]) => first <= text.charCodeAt(0) && text.charCodeAt(0) <= last,
        )
      );
    case "sequence": {
      const [first, ...rest] = node.parts;
      if (first === undefined) return text === "";
      const others: GrammarNode = { type: "sequence", parts: rest };
      return splits(text).some(
        ([head, tail]) => matchesByDefinition(first, head) && matchesByDefinition(others, tail),
      );
    }
    case "choice":
      return node.options.some((option) => matchesByDefinition(option, text));
    case "repeat":
      return repeats(node.of, node.min, node.max ?? Number.POSITIVE_INFINITY, text);
    case "intersection":
      return node.parts.every((part) => matchesByDefinition(part, text));
    case "complement":
      return !matchesByDefinition(node.of, text);
    case "lexeme":
      return matchesByDefinition(node.of, text);
    default:
      throw new Error(`${node.type} is not regular`);
  }
}

function repeats(of: GrammarNode, min: number, max: number, text: string): boolean {
  if (min === 0 && text === "") return true;
  if (max === 0) return false;
  const left = Math.max(0, min - 1);
  return splits(text).some(
    ([head, tail]) =>
      // Repetitions of the empty text are only needed to reach the least number.
      (head !== "" || min > 0) && matchesByDefinition(of, head) && repeats(of, left, max - 1, tail),
  );
}

function splits(text: string): readonly (readonly [string, string])[] {
  return Array.from({ length: text.length + 1 }, (_, index) => [
    text.slice(0, index),
    text.slice(index),
  ]);
}

export interface Built {
  readonly store: ExpressionStore;
  readonly expression: Expression;
}

/** Grammar as an expression in a separate store. Control tokens are numbered from 1,000 on. */
export function build(
  root: GrammarNode,
  rules: Grammar["rules"] = {},
  controlTokens: readonly string[] = [],
): Built {
  const store = new ExpressionStore();
  const find = (text: string) => {
    const index = controlTokens.indexOf(text);
    return index < 0 ? undefined : 1_000 + index;
  };
  return { store, expression: new ExpressionBuilder(store, { root, rules }, find).buildRoot() };
}

/** State after a text. */
export function behind({ store, expression }: Built, text: string): Expression {
  let state = expression;
  for (const byte of Buffer.from(text)) state = derivative(store, state, byte);
  return state;
}

/** Whether a language has a text. */
export function has(built: Built, text: string): boolean {
  return isNullable(behind(built, text));
}
