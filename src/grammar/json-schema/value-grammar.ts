import { UnsupportedGrammar } from "../errors.js";
import {
  type AdditionalMember,
  choice,
  type GrammarNode,
  type NamedMember,
  optional,
  repeat,
  rule,
  sequence,
  text,
  words,
} from "../grammar.js";
import { ANY_VALUE, bracketed, buildString, COLON, COMMA, wordsInJson } from "../json-text.js";
import { formatDecimal } from "./decimal.js";
import { type NumberSet, soleNumber } from "./number-set.js";
import { numberText } from "./number-text.js";
import {
  freeKeys,
  isArrayPossible,
  isObjectPossible,
  keysOf,
  measureLongestArray,
  selectPossibleOthers,
  unnamedOf,
} from "./possible-values.js";
import { buildStringContent } from "./string-set.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { ArraySet, ObjectSet, Requirement, StringSet, ValueSet } from "./value-set.js";

/** Dependencies of the grammar of values. */
export interface ValueGrammarContext {
  readonly algebra: ValueAlgebra;
  /** Whether any value satisfies a requirement. */
  readonly has: (requirement: Requirement) => boolean;
  /** Returns the name of a requirement's rule. */
  readonly ruleOf: (requirement: Requirement) => string;
  /** Path of the values in the schema, for errors. */
  readonly path: readonly string[];
  /** Creates a rule for a part that occurs in several places; returns its name. */
  readonly share: (node: GrammarNode) => string;
}

/**
 * Builds the JSON texts of a set of values.
 * @throws {UnsupportedGrammar} for multiples that cannot be recognised by their digits, and for
 *   very long tuples
 */
export function valueGrammar(values: ValueSet, context: ValueGrammarContext): GrammarNode {
  const { literals, numbers, strings, arrays, objects } = values;
  return choice(
    ...(literals.size === 0 ? [] : [words([...literals])]),
    ...numberGrammars(numbers, context),
    ...stringGrammars(strings, context),
    ...arrays
      .filter((set) => isArrayPossible(set, context.has))
      .map((set) => arrayGrammar(set, context)),
    ...objects
      .filter((set) => isObjectPossible(set, context.algebra, context.has))
      .map((set) => objectGrammar(set, context)),
  );
}

/** Returns a reference to the rule of a requirement's values. */
export function buildReference(
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
    if (sole !== undefined) texts.push(formatDecimal(sole));
    else {
      const valueText = numberText(set);
      if (valueText === undefined) {
        throw new UnsupportedGrammar(
          [...path, "multipleOf"],
          "multiples of this number are not supported",
        );
      }
      others.push(valueText);
    }
  }
  return [...others, ...(texts.length === 0 ? [] : [words([...new Set(texts)])])];
}

function stringGrammars(
  strings: readonly StringSet[],
  { algebra, path }: ValueGrammarContext,
): readonly GrammarNode[] {
  const listedWords = strings.flatMap((set) => set.words ?? []);
  const others = strings
    .filter((set) => set.words === undefined)
    .map((set) => buildString(buildStringContent(set)));
  if (!others.every((text) => algebra.languages.isTractable(text))) {
    throw new UnsupportedGrammar(
      path,
      "expected a simpler expression; this one takes too long to compile",
    );
  }
  return [...(listedWords.length === 0 ? [] : [quotedWords(listedWords)]), ...others];
}

/** Matches any of the listed strings as JSON text, including the quotes. */
function quotedWords(list: readonly string[]): GrammarNode {
  const inside = wordsInJson([...new Set(list)]);
  return inside.type === "words" ? words(inside.words.map((word) => `"${word}"`)) : inside;
}

/** Maximum number of items with individual schemas. */
const MAX_PREFIX = 1_000;

function arrayGrammar(set: ArraySet, context: ValueGrammarContext): GrammarNode {
  if (set.prefix.length > MAX_PREFIX) {
    const reason = `expected at most ${MAX_PREFIX} items with individual schemas, got ${set.prefix.length}`;
    throw new UnsupportedGrammar(context.path, reason);
  }
  const max = Math.min(set.max, measureLongestArray(set, context.has));
  const empty = text("[]");
  if (max === 0) return empty;
  const items = bracketed("[", rule(context.share(itemsFrom(0, { ...set, max }, context))), "]");
  return set.min === 0 ? choice(empty, items) : items;
}

/** Builds the items of an array from an index on; there is at least one. */
function itemsFrom(index: number, set: ArraySet, context: ValueGrammarContext): GrammarNode {
  const { prefix, some, min, max } = set;
  const item = prefix[index];
  if (item === undefined) return itemsAfter(index, set, context);
  if (index + 1 >= max) return buildReference(item, context);
  const more = sequence(COMMA, itemsFrom(index + 1, set, context));
  const isNeeded = min > index + 1 || some.length > 0;
  return sequence(buildReference(item, context), isNeeded ? more : optional(more));
}

/** Builds the items after the prefix, from an index on. */
function itemsAfter(
  index: number,
  { rest, some, min, max }: ArraySet,
  context: ValueGrammarContext,
): GrammarNode {
  const value = buildReference(rest, context);
  const counts = { min: Math.max(0, min - index), max: max - index };
  const [first, ...others] = some.map(({ item }) => buildReference(item, context));
  const afterOne = { min: Math.max(0, counts.min - 1), max: counts.max - 1 };
  const more = (required: readonly GrammarNode[]) => moreItems(value, required, afterOne, context);
  if (first === undefined) return sequence(value, more([]));
  return choice(
    sequence(first, more(others)),
    ...(counts.max > some.length ? [sequence(value, more([first, ...others]))] : []),
  );
}

interface Counts {
  readonly min: number;
  readonly max: number;
}

/** Maximum number of ways to place required items among counted ones. */
const MAX_WAYS = 1_000;

/** Builds `min` to `max` items, each after a comma, that include the required ones in order. */
function moreItems(
  value: GrammarNode,
  [required, ...others]: readonly GrammarNode[],
  { min, max }: Counts,
  context: ValueGrammarContext,
): GrammarNode {
  const any = sequence(COMMA, value);
  if (required === undefined) return repeat(any, min, Number.isFinite(max) ? max : undefined);
  const needed = others.length + 1;
  // With this many items before the required one, the minimum is reached however many follow.
  const maxBefore = Math.max(0, min - needed);
  const last = Number.isFinite(max) ? max - needed : maxBefore;
  if ((last + 1) ** needed > MAX_WAYS) {
    const reason = "expected smaller values of minItems, maxItems and minContains";
    throw new UnsupportedGrammar(context.path, reason);
  }
  return choice(
    ...Array.from({ length: last + 1 }, (_, before) => {
      const isOpen = before === last && !Number.isFinite(max);
      const remainingCounts = { min: Math.max(0, min - before - 1), max: max - before - 1 };
      return sequence(
        repeat(any, before, isOpen ? undefined : before),
        COMMA,
        required,
        moreItems(value, others, remainingCounts, context),
      );
    }),
  );
}

function objectGrammar(set: ObjectSet, context: ValueGrammarContext): GrammarNode {
  const { min, max, required, some } = set;
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
  const needsMembers = min > 0 || required.size > 0 || some.length > 0;
  return needsMembers ? full : choice(empty, full);
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
  return sequence(key, COLON, buildReference(value, context));
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
        text: memberText(quotedWords([name]), algebra.requirementOfMember(set, name), context),
      }),
    ),
    ...set.some.map(
      ({ keys, value }): AdditionalMember => ({
        presence: "required",
        text: memberText(keysOf([...keys, ...freeKeys(set)]), value, context),
      }),
    ),
    ...selectPossibleOthers(set, algebra, has).map(
      (others): AdditionalMember => ({
        presence: "any-number",
        text: memberText(keysOf(others.keys), others.value, context),
      }),
    ),
  ];
}
