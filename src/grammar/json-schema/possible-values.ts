import { type GrammarNode, intersection, jsonCharacter, repeat } from "../grammar.js";
import { ANY_STRING, allFormsInJson, noneInJson, stringOf } from "../json-text.js";
import { ALL_CODE_POINTS } from "../language/code-point-set.js";
import type { RegularLanguages } from "./regular-languages.js";
import { insideOf } from "./string-set.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { ArraySet, KeyClass, ObjectSet, Requirement, ValueSet } from "./value-set.js";

/** Requirements that are reachable from one, with the values that satisfy them. */
type ReachableValues = ReadonlyMap<string, ValueSet>;

/**
 * Which requirements any finite value satisfies. A schema that requires itself within itself has none:
 * the answer to it would never end.
 */
export function inhabitedRequirements(
  reachable: ReachableValues,
  algebra: ValueAlgebra,
): ReadonlySet<string> {
  const inhabited = new Set<string>();
  const has = (requirement: Requirement) =>
    requirement.length === 0 || inhabited.has(requirement.join());
  // What was found last is innermost, and decides about what contains it.
  let open = [...reachable].reverse();
  for (;;) {
    const left = open.filter(([key, values]) => {
      if (!hasValue(values, algebra, has)) return true;
      inhabited.add(key);
      return false;
    });
    if (left.length === open.length) return inhabited;
    open = left;
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
    strings.some((set) => !algebra.languages.areDisjoint([insideOf(set)])) ||
    arrays.some((set) => isArrayPossible(set, has)) ||
    objects.some((set) => isObjectPossible(set, algebra, has))
  );
}

/** Whether an array can be as long as it must be. */
export function isArrayPossible(set: ArraySet, has: Has): boolean {
  return Math.min(set.max, longestArray(set, has)) >= set.min;
}

/** The number of items after which none is possible. */
export function longestArray({ prefix, rest, some }: ArraySet, has: Has): number {
  if (!some.every(({ item }) => has(item))) return 0;
  const impossible = prefix.findIndex((item) => !has(item));
  if (impossible >= 0) return impossible;
  return has(rest) ? Number.POSITIVE_INFINITY : prefix.length;
}

/** Whether an object can have the members that it must have, and enough of them. */
export function isObjectPossible(set: ObjectSet, algebra: ValueAlgebra, has: Has): boolean {
  if (!hasRequired(set, algebra, has)) return false;
  const named = namedCount(set, has);
  return named >= set.min || named + possibleOthers(set, algebra, has).length >= set.min;
}

/**
 * Whether objects may need several members whose keys are only described: a text that repeats one of them
 * could not be distinguished from one that has enough.
 */
export function needsDistinctKeys(set: ObjectSet, algebra: ValueAlgebra, has: Has): boolean {
  if (set.min <= set.required.size + 1 || !hasRequired(set, algebra, has)) return false;
  return possibleOthers(set, algebra, has).some(({ name }) => name === undefined);
}

function hasRequired(set: ObjectSet, algebra: ValueAlgebra, has: Has): boolean {
  const { required, some, max } = set;
  return (
    required.size + some.length <= max &&
    [...required].every((name) => has(algebra.valueOf(set, name))) &&
    some.every(({ keys }) => !algebra.languages.areDisjoint([KEY, ...keys, ...freeKeys(set)]))
  );
}

/** Members with names of their own. */
function namedCount(set: ObjectSet, has: Has): number {
  return [...set.named.values()].filter(has).length + unnamedOf(set).length;
}

/** Characters of keys, written in one way each where they are in ASCII. */
export const KEY = repeat(jsonCharacter(ALL_CODE_POINTS), 0);

/** Required names that have no place in the order. */
export function unnamedOf({ named, required }: ObjectSet): readonly string[] {
  return [...required].filter((name) => !named.has(name));
}

/** Keys that other members of an object may have. */
interface PossibleKeys extends KeyClass {
  /** The only one. */
  readonly name?: string;
}

/** Keys of a class at most that are listed. */
const MAX_LISTED_KEYS = 100;

/**
 * The classes of other members that an object can have: their keys are none that is named or required. Where
 * several members are needed, a class of few keys becomes one for each: a text may repeat a key, and then
 * what is read has one member less.
 */
export function possibleOthers(
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
    const names = listedNames(one.keys, MAX_LISTED_KEYS, languages);
    if (names === undefined) return [one];
    return names.map((name) => ({ ...one, keys: [allFormsInJson([name])], name }));
  });
}

/** RegularLanguages of the keys that one more member of an object can have: those that are neither named nor required. */
export function freeKeys(set: ObjectSet): readonly GrammarNode[] {
  return noneInJson([...set.named.keys(), ...unnamedOf(set)]);
}

/** The names whose keys are in all of some languages; `undefined`: they are more than `max`, or any at all. */
export function listedNames(
  keys: readonly GrammarNode[],
  max: number,
  languages: RegularLanguages,
): readonly string[] | undefined {
  if (keys.length === 0) return undefined;
  const texts = languages.textsOf([KEY, ...keys], max);
  return texts && [...new Set(texts.map((text): string => JSON.parse(`"${text}"`)))];
}

/** The keys in all of some languages, as they are written in JSON. */
export function keysOf(keys: readonly GrammarNode[]): GrammarNode {
  return keys.length === 0 ? ANY_STRING : stringOf(intersection(KEY, ...keys));
}
