import type { GrammarNode } from "../grammar.js";
import { ALL_NUMBERS, type NumberSet } from "./number-set.js";

/**
 * Ids of the schemas that a value must all satisfy; empty: any value. Each combination of schemas
 * has one order.
 */
export type Requirement = readonly number[];

/** Set of JSON values, by type. Several sets of one type are alternatives. */
export interface ValueSet {
  readonly literals: ReadonlySet<"null" | "true" | "false">;
  readonly numbers: readonly NumberSet[];
  readonly strings: readonly StringSet[];
  readonly arrays: readonly ArraySet[];
  readonly objects: readonly ObjectSet[];
}

/** Strings that satisfy all of these conditions. */
export interface StringSet {
  /** If set, the only strings. */
  readonly words: readonly string[] | undefined;
  /** Excluded strings; used if `words` is not set. */
  readonly except: ReadonlySet<string>;
  /** Languages that all contain the strings, JSON-encoded, without quotes. */
  readonly languages: readonly GrammarNode[];
  /** Length in characters. */
  readonly minLength: number;
  readonly maxLength: number;
}

/** Arrays with individual requirements for their first items. */
export interface ArraySet {
  readonly prefix: readonly Requirement[];
  /** Requirement of the items after the prefix. */
  readonly rest: Requirement;
  /** Requirements that at least one item each must satisfy; one item may satisfy several. */
  readonly some: readonly SomeItem[];
  readonly min: number;
  readonly max: number;
}

export interface SomeItem {
  /** Minimum index of the item. */
  readonly from: number;
  readonly item: Requirement;
}

/** Objects with some members of known names. */
export interface ObjectSet {
  /** Members in the order in which they are written. */
  readonly named: ReadonlyMap<string, Requirement>;
  /** Other members, by disjoint languages of JSON-encoded keys. */
  readonly others: readonly KeyClass[];
  /**
   * Requirements that at least one member each must satisfy, named or not; one member may satisfy
   * several.
   */
  readonly some: readonly KeyClass[];
  readonly required: ReadonlySet<string>;
  readonly min: number;
  readonly max: number;
}

export interface KeyClass {
  /** Languages that all contain the keys; empty: all keys. */
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

/** All JSON values. */
export const ALL: ValueSet = {
  ...NO_VALUES,
  literals: new Set(["null", "true", "false"]),
  numbers: [ALL_NUMBERS],
  strings: [ALL_STRINGS],
  arrays: [ALL_ARRAYS],
  objects: [ALL_OBJECTS],
};
