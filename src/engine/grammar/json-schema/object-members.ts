import type { GrammarNode } from "../../../core/grammar.js";
import { complement, intersection, jsonCharacter, repeat } from "../../../core/grammar-nodes.js";
import { ANY_STRING, stringOf } from "../json-text/json-text.js";
import { ALL_CODE_POINTS } from "../language/code-point-set.js";
import { allFormsInJson } from "./string-set.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { KeyClass, ObjectSet, Requirement } from "./value-set.js";

/** Characters of keys, written in one way each where they are in ASCII. */
const KEY = repeat(jsonCharacter(ALL_CODE_POINTS), 0);

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
  const taken = [...set.named.keys(), ...unnamedOf(set)];
  const free = taken.length === 0 ? [] : [complement(allFormsInJson(taken))];
  const classes = set.others
    .filter(({ value }) => has(value))
    .filter(({ keys }) => keys.length === 0 || !languages.areDisjoint([KEY, ...keys, ...free]))
    .map(({ keys, value }) => ({ keys: [...keys, ...free], value }));
  if (set.min < 2) return classes;
  return classes.flatMap((one) => {
    if (one.keys.length === 0) return [one];
    const texts = languages.textsOf([KEY, ...one.keys], MAX_LISTED_KEYS);
    if (texts === undefined) return [one];
    const names = new Set(texts.map((text): string => JSON.parse(`"${text}"`)));
    return [...names].map((name) => ({ ...one, keys: [allFormsInJson([name])], name }));
  });
}

/** The keys of a class, as they are written in JSON. */
export function keysOf({ keys }: KeyClass): GrammarNode {
  return keys.length === 0 ? ANY_STRING : stringOf(intersection(KEY, ...keys));
}
