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

/** The classes of other members that an object can have: their keys are none that is named or required. */
export function possibleOthers(
  set: ObjectSet,
  { languages }: ValueAlgebra,
  has: (requirement: Requirement) => boolean,
): readonly KeyClass[] {
  const taken = [...set.named.keys(), ...unnamedOf(set)];
  const free = taken.length === 0 ? [] : [complement(allFormsInJson(taken))];
  return set.others
    .filter(({ value }) => has(value))
    .filter(({ keys }) => keys.length === 0 || !languages.areDisjoint([KEY, ...keys, ...free]))
    .map(({ keys, value }) => ({ keys: [...keys, ...free], value }));
}

/** The keys of a class, as they are written in JSON. */
export function keysOf({ keys }: KeyClass): GrammarNode {
  return keys.length === 0 ? ANY_STRING : stringOf(intersection(KEY, ...keys));
}
