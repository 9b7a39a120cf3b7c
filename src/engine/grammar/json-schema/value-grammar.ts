import type { AdditionalMember, GrammarNode, NamedMember } from "../../../core/grammar.js";
import {
  choice,
  optional,
  repeat,
  rule,
  sequence,
  text,
  words,
} from "../../../core/grammar-nodes.js";
import { ANY_VALUE, bracketed, COLON, COMMA, stringOf } from "../json-text/json-text.js";
import { UnsupportedGrammar } from "../unsupported-grammar.js";
import { decimalText } from "./decimal.js";
import { isArrayPossible, isObjectPossible, longestArray } from "./inhabited.js";
import { type NumberSet, soleNumber } from "./number-set.js";
import { numberText } from "./number-text.js";
import { keysOf, possibleOthers, unnamedOf } from "./object-members.js";
import { insideOf, wordsInJson } from "./string-set.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { ArraySet, ObjectSet, Requirement, StringSet, ValueSet } from "./value-set.js";

/** What the grammar of values is built with. */
export interface ValueGrammarContext {
  readonly algebra: ValueAlgebra;
  /** Whether any value satisfies a requirement. */
  readonly has: (requirement: Requirement) => boolean;
  /** The name of a requirement's rule. */
  readonly ruleOf: (requirement: Requirement) => string;
  /** Where the values come from, for errors. */
  readonly path: readonly string[];
  /** Makes a rule of what stands in several places; returns its name. */
  readonly share: (node: GrammarNode) => string;
}

/**
 * The JSON texts of a set of values.
 * @throws {UnsupportedGrammar} for multiples that cannot be told by their digits, and very long tuples
 */
export function valueGrammar(values: ValueSet, context: ValueGrammarContext): GrammarNode {
  const { literals, numbers, strings, arrays, objects } = values;
  return choice(
    ...(literals.size === 0 ? [] : [words([...literals])]),
    ...numberGrammars(numbers, context),
    ...stringGrammars(strings),
    ...arrays
      .filter((set) => isArrayPossible(set, context.has))
      .map((set) => arrayGrammar(set, context)),
    ...objects
      .filter((set) => isObjectPossible(set, context.algebra, context.has))
      .map((set) => objectGrammar(set, context)),
  );
}

/** The JSON texts of a requirement's values. */
export function nodeOf(
  requirement: Requirement,
  { ruleOf }: Pick<ValueGrammarContext, "ruleOf">,
): GrammarNode {
  return requirement.length === 0 ? ANY_VALUE : rule(ruleOf(requirement));
}

function numberGrammars(
  numbers: readonly NumberSet[],
  { path }: ValueGrammarContext,
): readonly GrammarNode[] {
  const texts: string[] = [];
  const others: GrammarNode[] = [];
  for (const set of numbers) {
    const sole = soleNumber(set);
    if (sole !== undefined) texts.push(decimalText(sole));
    else {
      const written = numberText(set);
      if (written === undefined) {
        throw new UnsupportedGrammar(
          [...path, "multipleOf"],
          "multiples of this number are not supported",
        );
      }
      others.push(written);
    }
  }
  return [...others, ...(texts.length === 0 ? [] : [words([...new Set(texts)])])];
}

function stringGrammars(strings: readonly StringSet[]): readonly GrammarNode[] {
  const listed = strings.flatMap((set) => set.words ?? []);
  const others = strings.filter((set) => set.words === undefined);
  return [
    ...(listed.length === 0 ? [] : [quotedWords(listed)]),
    ...others.map((set) => stringOf(insideOf(set))),
  ];
}

/** The texts of a list, with their quotes. */
function quotedWords(list: readonly string[]): GrammarNode {
  const inside = wordsInJson([...new Set(list)]);
  return inside.type === "words" ? words(inside.words.map((word) => `"${word}"`)) : inside;
}

/** Items at most that have a schema each. */
const MAX_PREFIX = 1_000;

function arrayGrammar(set: ArraySet, context: ValueGrammarContext): GrammarNode {
  if (set.prefix.length > MAX_PREFIX) {
    const reason = `expected at most ${MAX_PREFIX} items with schemas of their own, got ${set.prefix.length}`;
    throw new UnsupportedGrammar(context.path, reason);
  }
  const max = Math.min(set.max, longestArray(set, context.has));
  const empty = text("[]");
  if (max === 0) return empty;
  const items = bracketed("[", rule(context.share(itemsFrom(0, { ...set, max }, context))), "]");
  return set.min === 0 ? choice(empty, items) : items;
}

/** The items of an array from one index on; there is one at least. */
function itemsFrom(
  index: number,
  { prefix, rest, min, max }: ArraySet,
  context: ValueGrammarContext,
): GrammarNode {
  const item = prefix[index];
  if (item === undefined) {
    const value = nodeOf(rest, context);
    const more = repeat(
      sequence(COMMA, value),
      Math.max(0, min - index - 1),
      Number.isFinite(max) ? max - index - 1 : undefined,
    );
    return sequence(value, more);
  }
  if (index + 1 >= max) return nodeOf(item, context);
  const more = sequence(COMMA, itemsFrom(index + 1, { prefix, rest, min, max }, context));
  return sequence(nodeOf(item, context), min > index + 1 ? more : optional(more));
}

function objectGrammar(set: ObjectSet, context: ValueGrammarContext): GrammarNode {
  const { min, max, required } = set;
  const empty = text("{}");
  if (max === 0) return empty;
  const members = {
    type: "members",
    named: namedMembers(set, context),
    additional: additionalMembers(set, context),
    separator: COMMA,
    min: Math.max(1, min),
    max: Number.isFinite(max) ? max : undefined,
  } as const;
  const isAlwaysEmpty = members.named.length === 0 && members.additional.length === 0;
  if (isAlwaysEmpty) return empty;
  const full = bracketed("{", rule(context.share(members)), "}");
  return min === 0 && required.size === 0 ? choice(empty, full) : full;
}

function namedMembers(
  { named, required }: ObjectSet,
  context: ValueGrammarContext,
): readonly NamedMember[] {
  return [...named]
    .filter(([, value]) => context.has(value))
    .map(([name, value]) => ({
      presence: required.has(name) ? "required" : "optional",
      text: memberText(quotedWords([name]), value, context),
    }));
}

function memberText(
  key: GrammarNode,
  value: Requirement,
  context: ValueGrammarContext,
): GrammarNode {
  return sequence(key, COLON, nodeOf(value, context));
}

function additionalMembers(
  set: ObjectSet,
  context: ValueGrammarContext,
): readonly AdditionalMember[] {
  const { algebra, has } = context;
  return [
    ...unnamedOf(set).map(
      (name): AdditionalMember => ({
        presence: "required",
        text: memberText(quotedWords([name]), algebra.valueOf(set, name), context),
      }),
    ),
    ...possibleOthers(set, algebra, has).map(
      (others): AdditionalMember => ({
        presence: "any-number",
        text: memberText(keysOf(others), others.value, context),
      }),
    ),
  ];
}
