import type { GrammarNode } from "../grammar.js";
import { ALL_NUMBERS, type NumberSet } from "./number-set.js";

/** Schemas that a value must satisfy, all of them: their ids, each set of them in one order; none: any value. */
export type Requirement = readonly number[];

/** A set of JSON values, by type. Of several sets of one type, a value is in one of them at least. */
export interface ValueSet {
  readonly literals: ReadonlySet<"null" | "true" | "false">;
  readonly numbers: readonly NumberSet[];
  readonly strings: readonly StringSet[];
  readonly arrays: readonly ArraySet[];
  readonly objects: readonly ObjectSet[];
}

/** Strings that satisfy all of these conditions. */
export interface StringSet {
  /** The only ones. */
  readonly words: readonly string[] | undefined;
  /** Texts that are none of them, where the only ones are not known. */
  readonly except: ReadonlySet<string>;
  /** Languages that they are in, as they are written in JSON without the quotes. */
  readonly languages: readonly GrammarNode[];
  /** In characters. */
  readonly minLength: number;
  readonly maxLength: number;
}

/** Arrays that begin with items of their own. */
export interface ArraySet {
  readonly prefix: readonly Requirement[];
  /** Of the items after the prefix. */
  readonly rest: Requirement;
  /** What some items satisfy, one at least each; one item may do for several. */
  readonly some: readonly SomeItem[];
  readonly min: number;
  readonly max: number;
}

export interface SomeItem {
  /** The lowest index that the item may have. */
  readonly from: number;
  readonly item: Requirement;
}

/** Objects with some members of known names. */
export interface ObjectSet {
  /** In the order in which they are written. */
  readonly named: ReadonlyMap<string, Requirement>;
  /** Other members: disjoint languages of keys, as they are written in JSON. */
  readonly others: readonly KeyClass[];
  /** What some members are, named or not, one at least each; one member may do for several. */
  readonly some: readonly KeyClass[];
  readonly required: ReadonlySet<string>;
  readonly min: number;
  readonly max: number;
}

export interface KeyClass {
  /** Languages that the keys are in; none: all keys. */
  readonly keys: readonly GrammarNode[];
  readonly value: Requirement;
}

export const ALL_STRINGS: StringSet = {
  words: undefined,
  except: new Set(),
  languages: [],
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
};
export const ALL_ARRAYS: ArraySet = {
  prefix: [],
  rest: [],
  some: [],
  min: 0,
  max: Number.POSITIVE_INFINITY,
};
export const ALL_OBJECTS: ObjectSet = {
  named: new Map(),
  others: [{ keys: [], value: [] }],
  some: [],
  required: new Set(),
  min: 0,
  max: Number.POSITIVE_INFINITY,
};

export const NO_VALUES: ValueSet = {
  literals: new Set(),
  numbers: [],
  strings: [],
  arrays: [],
  objects: [],
};

/** All values. */
export const ALL: ValueSet = {
  ...NO_VALUES,
  literals: new Set(["null", "true", "false"]),
  numbers: [ALL_NUMBERS],
  strings: [ALL_STRINGS],
  arrays: [ALL_ARRAYS],
  objects: [ALL_OBJECTS],
};
