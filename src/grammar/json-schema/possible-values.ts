import { type GrammarNode, intersection, jsonCharacter, repeat } from "../grammar.js";
import { ANY_STRING, allFormsInJson, buildString, noneInJson } from "../json-text.js";
import { ALL_CODE_POINTS } from "../language/code-point-set.js";
import type { RegularLanguages } from "./regular-languages.js";
import { buildStringContent } from "./string-set.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { ArraySet, KeyClass, ObjectSet, Requirement, ValueSet } from "./value-set.js";

/** Requirements reachable from another one, by key, with the values that satisfy them. */
type ReachableValues = ReadonlyMap<string, ValueSet>;

/**
 * Returns the requirements that some finite value satisfies. A schema that requires itself as a
 * part of itself has none, as its answers would never end.
 */
export function findInhabited(
  reachable: ReachableValues,
  algebra: ValueAlgebra,
): ReadonlySet<string> {
  const satisfiableKeys = new Set<string>();
  const has = (requirement: Requirement) =>
    requirement.length === 0 || satisfiableKeys.has(requirement.join());
  // Innermost requirements were found last; requirements that contain them depend on them.
  let openEntries = [...reachable].reverse();
  for (;;) {
    const remainingEntries = openEntries.filter(([key, values]) => {
      if (!hasValue(values, algebra, has)) return true;
      satisfiableKeys.add(key);
      return false;
    });
    if (remainingEntries.length === openEntries.length) return satisfiableKeys;
    openEntries = remainingEntries;
  }
}

type Has = (requirement: Requirement) => boolean;

/** Whether a set has a finite value. */
export function hasValue(
  { literals, numbers, strings, arrays, objects }: ValueSet,
  algebra: ValueAlgebra,
  has: Has,
): boolean {
  return (
    literals.size > 0 ||
    numbers.length > 0 ||
    strings.some((set) => !algebra.languages.areDisjoint([buildStringContent(set)])) ||
    arrays.some((set) => isArrayPossible(set, has)) ||
    objects.some((set) => isObjectPossible(set, algebra, has))
  );
}

/** Whether an array can reach its minimum length. */
export function isArrayPossible(set: ArraySet, has: Has): boolean {
  return Math.min(set.max, measureLongestArray(set, has)) >= set.min;
}

/** Returns the length of the longest array whose items can all be satisfied. */
export function measureLongestArray({ prefix, rest, some }: ArraySet, has: Has): number {
  if (!some.every(({ item }) => has(item))) return 0;
  const impossible = prefix.findIndex((item) => !has(item));
  if (impossible >= 0) return impossible;
  return has(rest) ? Number.POSITIVE_INFINITY : prefix.length;
}

/** Whether an object can have its required members, and enough members in total. */
export function isObjectPossible(set: ObjectSet, algebra: ValueAlgebra, has: Has): boolean {
  if (!hasRequired(set, algebra, has)) return false;
  const named = countNamed(set, has);
  return named >= set.min || named + selectPossibleOthers(set, algebra, has).length >= set.min;
}

/**
 * Whether objects may need several members with keys that are only described by a language: a
 * repeated key could then not be distinguished from a further member.
 */
export function needsDistinctKeys(set: ObjectSet, algebra: ValueAlgebra, has: Has): boolean {
  if (set.min <= set.required.size + 1 || !hasRequired(set, algebra, has)) return false;
  return selectPossibleOthers(set, algebra, has).some(({ name }) => name === undefined);
}

function hasRequired(set: ObjectSet, algebra: ValueAlgebra, has: Has): boolean {
  const { required, some, max } = set;
  return (
    required.size + some.length <= max &&
    [...required].every((name) => has(algebra.requirementOfMember(set, name))) &&
    some.every(({ keys }) => !algebra.languages.areDisjoint([KEY, ...keys, ...freeKeys(set)]))
  );
}

/** Counts the possible members with known names. */
function countNamed(set: ObjectSet, has: Has): number {
  return [...set.named.values()].filter(has).length + unnamedOf(set).length;
}

/** Characters of keys; those in ASCII have one form each, except for necessary escapes. */
export const KEY = repeat(jsonCharacter(ALL_CODE_POINTS), 0);

/** Returns the required names that have no position in the order. */
export function unnamedOf({ named, required }: ObjectSet): readonly string[] {
  return [...required].filter((name) => !named.has(name));
}

/** Keys that other members of an object may have. */
interface PossibleKeys extends KeyClass {
  /** Key, if the class contains only one. */
  readonly name?: string;
}

/** Maximum number of keys of a class that are listed. */
const MAX_LISTED_KEYS = 100;

/**
 * Returns the classes of other members that an object may have, excluding named and required keys.
 * If several members are required, a class of few keys is split into one class per key, because a
 * repeated key would leave the parsed object with too few members.
 */
export function selectPossibleOthers(
  set: ObjectSet,
  { languages }: ValueAlgebra,
  has: (requirement: Requirement) => boolean,
): readonly PossibleKeys[] {
  const free = freeKeys(set);
  const classes = set.others
    .filter(({ value }) => has(value))
    .filter(({ keys }) => keys.length === 0 || !languages.areDisjoint([KEY, ...keys, ...free]))
    .map(({ keys, value }) => ({ keys: [...keys, ...free], value }));
  if (set.min < 2) return classes;
  return classes.flatMap((one) => {
    const names = listNames(one.keys, MAX_LISTED_KEYS, languages);
    if (names === undefined) return [one];
    return names.map((name) => ({ ...one, keys: [allFormsInJson([name])], name }));
  });
}

/** Languages of the keys that are neither named nor required. */
export function freeKeys(set: ObjectSet): readonly GrammarNode[] {
  return noneInJson([...set.named.keys(), ...unnamedOf(set)]);
}

/**
 * Lists the names whose keys are in all of the languages; `undefined` if there are more than `max`,
 * or if any key is allowed.
 */
export function listNames(
  keys: readonly GrammarNode[],
  max: number,
  languages: RegularLanguages,
): readonly string[] | undefined {
  if (keys.length === 0) return undefined;
  const texts = languages.textsOf([KEY, ...keys], max);
  return texts && [...new Set(texts.map((text): string => JSON.parse(`"${text}"`)))];
}

/** Builds the keys that are in all of the languages, as JSON strings. */
export function keysOf(keys: readonly GrammarNode[]): GrammarNode {
  return keys.length === 0 ? ANY_STRING : buildString(intersection(KEY, ...keys));
}
