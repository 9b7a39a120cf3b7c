import { UnsupportedGrammar } from "../errors.js";
import { encodeInJson } from "../json-text.js";
import { freeKeys, KEY, listNames } from "./possible-values.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { ArraySet, KeyClass, ObjectSet, SomeItem, ValueSet } from "./value-set.js";

/** Maximum number of alternative keys that are listed for one required member. */
const MAX_LISTED_KEYS = 16;

/**
 * Rewrites sets so that they state the position of each entry of `some`. In arrays, `some` then
 * lists distinct items after the prefix, in order; in objects, distinct members with keys that are
 * not named otherwise, and any value.
 * @param path origin of the values, for errors
 * @throws {UnsupportedGrammar} a member with an open name requires a specific value: a text that
 *   repeats its key could replace the value
 */
export function withPlaces(
  values: ValueSet,
  algebra: ValueAlgebra,
  path: readonly string[],
): ValueSet {
  return {
    ...values,
    arrays: values.arrays.flatMap((set) => placeArrays(set, algebra)),
    objects: values.objects.flatMap((set) => placeObjects(set, { algebra, path })),
  };
}

function placeArrays(set: ArraySet, algebra: ValueAlgebra): readonly ArraySet[] {
  const { rest, some } = set;
  if (some.length === 0) return [set];
  const length = Math.max(set.prefix.length, ...some.map(({ from }) => from));
  const prefix = Array.from({ length }, (_, index) => set.prefix[index] ?? rest);
  let sets: readonly ArraySet[] = [{ ...set, prefix, some: [] }];
  for (const item of some) {
    sets = algebra.limitAlternatives(sets.flatMap((one) => withItem(one, item, algebra)));
  }
  return sets.filter(({ min, max }) => min <= max);
}

/**
 * Returns the sets of an array by the position of one more item: in the prefix, the same as an item
 * in `some`, or a new one there.
 */
function withItem(
  set: ArraySet,
  { from, item }: SomeItem,
  algebra: ValueAlgebra,
): readonly ArraySet[] {
  const { prefix, rest, some, min } = set;
  const afterPrefix = { from: prefix.length, item: algebra.combineRequirements(rest, item) };
  const withSome = (placed: readonly SomeItem[]): ArraySet => ({
    ...set,
    some: placed,
    min: Math.max(min, prefix.length + placed.length),
  });
  return [
    ...prefix.flatMap((own, index): readonly ArraySet[] =>
      index < from
        ? []
        : [
            {
              ...set,
              prefix: prefix.with(index, algebra.combineRequirements(own, item)),
              min: Math.max(min, index + 1),
            },
          ],
    ),
    ...some.map((other, index) =>
      withSome(some.with(index, { ...other, item: algebra.combineRequirements(other.item, item) })),
    ),
    ...Array.from({ length: some.length + 1 }, (_, index) =>
      withSome(some.toSpliced(index, 0, afterPrefix)),
    ),
  ];
}

interface Context {
  readonly algebra: ValueAlgebra;
  readonly path: readonly string[];
}

function placeObjects(set: ObjectSet, context: Context): readonly ObjectSet[] {
  let sets: readonly ObjectSet[] = [{ ...set, some: [] }];
  for (const member of set.some) {
    sets = context.algebra.limitAlternatives(
      sets.flatMap((one) => withMember(one, member, context)),
    );
  }
  return sets;
}

/** Returns the sets of an object by the key of one more member: a known one, or any other. */
function withMember(set: ObjectSet, member: KeyClass, context: Context): readonly ObjectSet[] {
  const { algebra } = context;
  const knownNames = [...new Set([...set.named.keys(), ...set.required])];
  const possibleNames = knownNames.filter((name) =>
    algebra.languages.allHave(member.keys, encodeInJson(name)),
  );
  const isPresent = possibleNames.some(
    (name) => set.required.has(name) && implies(algebra, set, name, member),
  );
  if (isPresent) return [set];
  return [
    ...possibleNames.map((name) => withNamed(set, name, member, algebra)),
    ...set.some.flatMap((other, index) => {
      const keys = [...other.keys, ...member.keys];
      if (member.value.length > 0 || algebra.languages.areDisjoint([KEY, ...keys])) return [];
      return [{ ...set, some: set.some.with(index, { ...other, keys }) }];
    }),
    ...set.others.flatMap((others) => withOther(set, others, member, context)),
  ];
}

/** Whether the member of a name always has the required value if it is present. */
function implies(
  algebra: ValueAlgebra,
  set: ObjectSet,
  name: string,
  { value }: KeyClass,
): boolean {
  const own = new Set(algebra.requirementOfMember(set, name));
  return value.every((schema) => own.has(schema));
}

function withNamed(
  set: ObjectSet,
  name: string,
  { value }: KeyClass,
  algebra: ValueAlgebra,
): ObjectSet {
  const both = algebra.combineRequirements(algebra.requirementOfMember(set, name), value);
  return {
    ...set,
    named: new Map([...set.named, [name, both]]),
    required: new Set([...set.required, name]),
  };
}

/** Returns the sets in which the member belongs to a class of other keys. */
function withOther(
  set: ObjectSet,
  others: KeyClass,
  member: KeyClass,
  { algebra, path }: Context,
): readonly ObjectSet[] {
  const keys = [...others.keys, ...member.keys, ...freeKeys(set)];
  if (algebra.isImpossible(algebra.combineRequirements(others.value, member.value))) return [];
  const names = listNames(keys, MAX_LISTED_KEYS, algebra.languages);
  if (names !== undefined) return names.map((name) => withNamed(set, name, member, algebra));
  if (others.value.length > 0 || member.value.length > 0) {
    throw new UnsupportedGrammar(
      path,
      "a required member whose name is arbitrary is not supported",
    );
  }
  return [{ ...set, some: [...set.some, { keys, value: [] }] }];
}
