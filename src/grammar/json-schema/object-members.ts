import type { GrammarNode } from "../grammar.js";
import { intersection, jsonCharacter, repeat } from "../grammar-nodes.js";
import { ANY_STRING, stringOf } from "../json-text/json-text.js";
import { ALL_CODE_POINTS } from "../language/code-point-set.js";
import type { Languages } from "./languages.js";
import { allFormsInJson, noneInJson } from "./string-set.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { KeyClass, ObjectSet, Requirement } from "./value-set.js";

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

/** Keys of a class at most that are told apart. */
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

/** Languages of the keys that one more member of an object can have: those that are neither named nor required. */
export function freeKeys(set: ObjectSet): readonly GrammarNode[] {
  return noneInJson([...set.named.keys(), ...unnamedOf(set)]);
}

/** The names whose keys are in all of some languages; `undefined`: they are more than so many, or any at all. */
export function listedNames(
  keys: readonly GrammarNode[],
  max: number,
  languages: Languages,
): readonly string[] | undefined {
  if (keys.length === 0) return undefined;
  const texts = languages.textsOf([KEY, ...keys], max);
  return texts && [...new Set(texts.map((text): string => JSON.parse(`"${text}"`)))];
}

/** The keys in all of some languages, as they are written in JSON. */
export function keysOf(keys: readonly GrammarNode[]): GrammarNode {
  return keys.length === 0 ? ANY_STRING : stringOf(intersection(KEY, ...keys));
}
