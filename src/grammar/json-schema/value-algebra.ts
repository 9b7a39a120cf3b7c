import { choice, complement, intersection } from "../grammar.js";
import { encodeInJson, noneInJson } from "../json-text.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { complementNumbers, intersectNumbers } from "./number-set.js";
import { RegularLanguages } from "./regular-languages.js";
import { complementStrings, intersectStrings, languagesOf } from "./string-set.js";
import {
  ALL,
  ALL_ARRAYS,
  ALL_OBJECTS,
  type ArraySet,
  type KeyClass,
  type ObjectSet,
  type Requirement,
  type ValueSet,
} from "./value-set.js";

/** Operations on requirements that the algebra needs. */
export interface Requirements {
  readonly none: Requirement;
  negate(requirement: Requirement): Requirement;
  /** Whether no value satisfies a requirement, as far as is known. */
  isEmpty(requirement: Requirement): boolean;
}

/** Work for visiting a pair of alternatives, or one of their properties. */
const STEP_COST = 5;
/** Number of schemas combined in the time of one unit of work. */
const SCHEMAS_PER_UNIT = 4;
/** Maximum number of alternatives of one type, if combining sets multiplies them. */
const MAX_ALTERNATIVES = 2_000;

/** Combines sets of values. */
export class ValueAlgebra {
  readonly languages: RegularLanguages;
  readonly #store: ExpressionStore;
  readonly #requirements: Requirements;
  /** Combined requirements, by their schemas in any order. */
  readonly #combinations = new Map<string, Requirement>();

  constructor(store: ExpressionStore, requirements: Requirements) {
    this.#store = store;
    this.languages = new RegularLanguages(store);
    this.#requirements = requirements;
  }

  /** Returns the values in both sets. */
  intersection(a: ValueSet, b: ValueSet): ValueSet {
    return {
      literals: new Set([...a.literals].filter((literal) => b.literals.has(literal))),
      numbers: this.#combinePairs(a.numbers, b.numbers, intersectNumbers),
      strings: this.#combinePairs(a.strings, b.strings, (one, other) =>
        intersectStrings(one, other, this.languages),
      ),
      arrays: this.#combinePairs(a.arrays, b.arrays, (one, other) =>
        this.#intersectArrays(one, other),
      ),
      objects: this.#combinePairs(a.objects, b.objects, (one, other) =>
        this.#intersectObjects(one, other),
      ),
    };
  }

  /** Returns the values in any of the sets. */
  union(sets: readonly ValueSet[]): ValueSet {
    return {
      literals: new Set(sets.flatMap(({ literals }) => [...literals])),
      numbers: sets.flatMap(({ numbers }) => numbers),
      strings: sets.flatMap(({ strings }) => strings),
      arrays: sets.flatMap(({ arrays }) => arrays),
      objects: sets.flatMap(({ objects }) => objects),
    };
  }

  /** Returns the values that are not in a set; `undefined` if no set describes them. */
  complement(set: ValueSet): ValueSet | undefined {
    const numbers = this.#complementItems(
      set.numbers,
      ALL.numbers,
      complementNumbers,
      intersectNumbers,
    );
    const strings = this.#complementItems(
      set.strings,
      ALL.strings,
      complementStrings,
      (one, other) => intersectStrings(one, other, this.languages),
    );
    const arrays = this.#complementItems(
      set.arrays,
      ALL.arrays,
      (one) => this.#complementArrays(one),
      (one, other) => this.#intersectArrays(one, other),
    );
    const objects = this.#complementItems(
      set.objects,
      ALL.objects,
      (one) => this.#complementObjects(one),
      (one, other) => this.#intersectObjects(one, other),
    );
    if (!numbers || !strings || !arrays || !objects) return undefined;
    const literals = new Set([...ALL.literals].filter((literal) => !set.literals.has(literal)));
    return { literals, numbers, strings, arrays, objects };
  }

  /** Whether a set is known to be empty. */
  isEmpty(set: ValueSet): boolean {
    return (
      set.literals.size === 0 &&
      set.numbers.length === 0 &&
      set.strings.every((strings) =>
        strings.words === undefined
          ? strings.languages.length > 0 && this.languages.areDisjoint(languagesOf(strings))
          : strings.words.length === 0,
      ) &&
      set.arrays.length === 0 &&
      set.objects.length === 0
    );
  }

  /**
   * Combines two requirements. If the same schemas are combined in different orders, the first
   * order is kept, since it determines the order of members.
   */
  combineRequirements(a: Requirement, b: Requirement): Requirement {
    if (a.length === 0 || a === b) return b;
    if (b.length === 0) return a;
    const both = [...new Set([...a, ...b])];
    this.#store.meter.spend(both.length / SCHEMAS_PER_UNIT);
    const key = both.toSorted((one, other) => one - other).join();
    const known = this.#combinations.get(key);
    if (known !== undefined) return known;
    this.#combinations.set(key, both);
    return both;
  }

  /** Returns the requirement of an object set for the member of a name. */
  requirementOfMember({ named, others }: ObjectSet, name: string): Requirement {
    const known = named.get(name);
    if (known !== undefined) return known;
    const matchingClass = others.find(
      ({ keys }) => keys.length === 0 || this.languages.allHave(keys, encodeInJson(name)),
    );
    return matchingClass?.value ?? this.#requirements.none;
  }

  /** Whether no value satisfies a requirement, as far as is known. */
  isImpossible(requirement: Requirement): boolean {
    return this.#requirements.isEmpty(requirement);
  }

  /**
   * Returns the sets unchanged, unless they are too many.
   * @throws {WorkLimitExceeded}
   */
  limitAlternatives<Item>(sets: readonly Item[]): readonly Item[] {
    const isTooMany = sets.length > MAX_ALTERNATIVES;
    this.#store.meter.spend(isTooMany ? Number.POSITIVE_INFINITY : sets.length * STEP_COST);
    return sets;
  }

  #combinePairs<Item>(
    as: readonly Item[],
    bs: readonly Item[],
    combine: (a: Item, b: Item) => Item | undefined,
  ): readonly Item[] {
    const results: Item[] = [];
    for (const a of as) {
      for (const b of bs) {
        this.#store.meter.spend(STEP_COST);
        const both = combine(a, b);
        if (both !== undefined) results.push(both);
      }
    }
    const isGrowing = results.length > Math.max(as.length, bs.length);
    if (isGrowing && results.length > MAX_ALTERNATIVES) {
      this.#store.meter.spend(Number.POSITIVE_INFINITY);
    }
    return results;
  }

  #complementItems<Item>(
    items: readonly Item[],
    all: readonly Item[],
    outside: (item: Item) => readonly Item[] | undefined,
    combine: (a: Item, b: Item) => Item | undefined,
  ): readonly Item[] | undefined {
    let remaining = all;
    for (const item of items) {
      const others = outside(item);
      if (others === undefined) return undefined;
      remaining = this.#combinePairs(remaining, others, combine);
    }
    return remaining;
  }

  #intersectArrays(a: ArraySet, b: ArraySet): ArraySet | undefined {
    const length = Math.max(a.prefix.length, b.prefix.length);
    const prefix = Array.from({ length }, (_, index) =>
      this.combineRequirements(a.prefix[index] ?? a.rest, b.prefix[index] ?? b.rest),
    );
    const some = [...new Set([...a.some, ...b.some])];
    const min = Math.max(a.min, b.min, ...some.map(({ from }) => from + 1));
    const max = Math.min(a.max, b.max);
    if (min > max) return undefined;
    const rest = this.combineRequirements(a.rest, b.rest);
    const required = Array.from(
      { length: Math.min(min, length + 1) },
      (_, index) => prefix[index] ?? rest,
    );
    if (required.some((item) => this.#requirements.isEmpty(item))) return undefined;
    return { prefix, rest, some, min, max };
  }

  #complementArrays({ prefix, rest, some, min, max }: ArraySet): readonly ArraySet[] {
    const createAnyItems = (count: number): readonly Requirement[] =>
      Array.from({ length: count }, () => []);
    return [
      ...prefix.flatMap((item, index): readonly ArraySet[] =>
        item.length === 0
          ? []
          : [
              {
                ...ALL_ARRAYS,
                prefix: [...createAnyItems(index), this.#requirements.negate(item)],
                min: index + 1,
              },
            ],
      ),
      ...(rest.length === 0
        ? []
        : [this.#arraysWith(prefix.length, this.#requirements.negate(rest))]),
      ...some.map(({ from, item }) => ({
        ...ALL_ARRAYS,
        prefix: createAnyItems(from),
        rest: this.#requirements.negate(item),
      })),
      ...complementCounts(min, max).map((counts) => ({ ...ALL_ARRAYS, ...counts })),
    ];
  }

  /** Returns the arrays with an item that satisfies a requirement, at an index or after it. */
  #arraysWith(from: number, item: Requirement): ArraySet {
    return { ...ALL_ARRAYS, some: item.length === 0 ? [] : [{ from, item }], min: from + 1 };
  }

  #intersectObjects(a: ObjectSet, b: ObjectSet): ObjectSet | undefined {
    const required = new Set([...a.required, ...b.required]);
    const min = Math.max(a.min, b.min);
    const max = Math.min(a.max, b.max);
    if (min > max || required.size > max) return undefined;
    const named = new Map<string, Requirement>();
    for (const name of new Set([...a.named.keys(), ...b.named.keys()])) {
      this.#store.meter.spend(STEP_COST);
      named.set(
        name,
        this.combineRequirements(
          this.requirementOfMember(a, name),
          this.requirementOfMember(b, name),
        ),
      );
    }
    const others = a.others.flatMap((one) =>
      b.others.flatMap((other) => {
        const keys = [...new Set([...one.keys, ...other.keys])];
        const isNew = keys.length > one.keys.length && keys.length > other.keys.length;
        if (isNew && this.languages.areDisjoint(keys)) return [];
        return [{ keys, value: this.combineRequirements(one.value, other.value) }];
      }),
    );
    const some = [...new Set([...a.some, ...b.some])];
    const both: ObjectSet = { named, others, some, required, min, max };
    for (const name of required) {
      if (this.#requirements.isEmpty(this.requirementOfMember(both, name))) return undefined;
    }
    return both;
  }

  #complementObjects(set: ObjectSet): readonly ObjectSet[] {
    return [
      ...[...set.required].map((name) => ({
        ...ALL_OBJECTS,
        named: new Map([[name, this.#requirements.none]]),
      })),
      ...[...set.named].flatMap(([name, value]): readonly ObjectSet[] =>
        value.length === 0
          ? []
          : [
              {
                ...ALL_OBJECTS,
                named: new Map([[name, this.#requirements.negate(value)]]),
                required: new Set([name]),
              },
            ],
      ),
      ...this.#listForbiddenMembers(set).map((member) => ({ ...ALL_OBJECTS, some: [member] })),
      ...set.some.map(({ keys, value }) => ({
        ...ALL_OBJECTS,
        others: [
          { keys, value: this.#requirements.negate(value) },
          ...(keys.length === 0 ? [] : [{ keys: [complement(intersection(...keys))], value: [] }]),
        ],
      })),
      ...complementCounts(...selectExplicitCounts(set)).map((counts) => ({
        ...ALL_OBJECTS,
        ...counts,
      })),
    ];
  }

  /** Returns the members that no object of a set has, except members with known names. */
  #listForbiddenMembers({ named, others }: ObjectSet): readonly KeyClass[] {
    const unknownKeys = noneInJson([...named.keys()]);
    const isAnyKey = others.some(({ keys }) => keys.length === 0);
    const outside = complement(choice(...others.map(({ keys }) => intersection(...keys))));
    const impossibleMembers = isAnyKey
      ? []
      : [{ keys: others.length === 0 ? [] : [outside], value: [] }];
    const wrongMembers = others
      .filter(({ value }) => value.length > 0)
      .map(({ keys, value }) => ({ keys, value: this.#requirements.negate(value) }));
    return [...impossibleMembers, ...wrongMembers]
      .map(({ keys, value }) => ({ keys: [...keys, ...unknownKeys], value }))
      .filter(({ keys }) => keys.length === 0 || !this.languages.areDisjoint(keys));
  }
}

/**
 * Returns the minimum and maximum number of members, without limits that follow from their names.
 */
function selectExplicitCounts({
  named,
  others,
  required,
  min,
  max,
}: ObjectSet): [min: number, max: number] {
  const areAllNamed = others.length === 0 && max >= named.size;
  return [min > required.size ? min : 0, areAllNamed ? Number.POSITIVE_INFINITY : max];
}

/** Returns the ranges below the minimum and above the maximum. */
function complementCounts(min: number, max: number): readonly { min: number; max: number }[] {
  return [
    ...(min > 0 ? [{ min: 0, max: min - 1 }] : []),
    ...(Number.isFinite(max) ? [{ min: max + 1, max: Number.POSITIVE_INFINITY }] : []),
  ];
}
