import { UnsupportedGrammar } from "../errors.js";
import { toDecimal } from "./decimal.js";
import { createValueError } from "./keyword-checks.js";
import { ALL_NUMBERS, buildSingleNumberSet, type NumberSet } from "./number-set.js";
import { isJsonObject, type SchemaPlace } from "./schema-document.js";
import type { SchemaRequirements } from "./schema-requirements.js";
import {
  ALL,
  ALL_ARRAYS,
  ALL_STRINGS,
  type ArraySet,
  NO_VALUES,
  type ObjectSet,
  type ValueSet,
} from "./value-set.js";

const TYPES: Readonly<Record<string, ValueSet>> = {
  null: { ...NO_VALUES, literals: new Set(["null"]) },
  boolean: { ...NO_VALUES, literals: new Set(["true", "false"]) },
  number: { ...NO_VALUES, numbers: [ALL_NUMBERS] },
  integer: { ...NO_VALUES, numbers: [{ ...ALL_NUMBERS, kind: "integers" }] },
  string: { ...NO_VALUES, strings: ALL.strings },
  array: { ...NO_VALUES, arrays: ALL.arrays },
  object: { ...NO_VALUES, objects: ALL.objects },
};

/**
 * Returns the values of the types that a schema names; OpenAPI's `nullable` adds null.
 * @throws {UnsupportedGrammar}
 */
export function typesOf(place: SchemaPlace, schema: Readonly<Record<string, unknown>>): ValueSet {
  const { type } = schema;
  if (type === undefined) return ALL;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  const sets = names.map((name) => {
    const set = typeof name === "string" && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (set === undefined) {
      throw createValueError(
        place,
        "type",
        `one of ${Object.keys(TYPES).join(", ")}, or a list of them`,
        type,
      );
    }
    return set;
  });
  const hasNumber = names.includes("number");
  const isNullable = schema["nullable"] === true || names.includes("null");
  const literals: ValueSet["literals"] = new Set([
    ...sets.flatMap((set) => [...set.literals]),
    ...(isNullable ? (["null"] as const) : []),
  ]);
  return {
    literals,
    numbers: hasNumber ? [ALL_NUMBERS] : sets.flatMap(({ numbers }) => numbers).slice(0, 1),
    strings: names.includes("string") ? ALL.strings : [],
    arrays: names.includes("array") ? ALL.arrays : [],
    objects: names.includes("object") ? ALL.objects : [],
  };
}

type Literal = "null" | "true" | "false";

/** Returns the set of the given values. */
export function buildLiteralValues(
  requirements: SchemaRequirements,
  values: readonly unknown[],
): ValueSet {
  const literals = new Set<Literal>();
  const words: string[] = [];
  const numbers: NumberSet[] = [];
  const arrays: ArraySet[] = [];
  const objects: ObjectSet[] = [];
  for (const value of values) {
    if (value === null) literals.add("null");
    else if (typeof value === "boolean") literals.add(value ? "true" : "false");
    else if (typeof value === "string") words.push(value);
    else if (typeof value === "number") numbers.push(numberSet(value));
    else if (Array.isArray(value)) {
      const prefix = value.map((item) => requirements.requirementOfValue(item));
      arrays.push({
        ...ALL_ARRAYS,
        prefix,
        rest: requirements.none,
        min: value.length,
        max: value.length,
      });
    } else if (isJsonObject(value)) objects.push(objectSet(requirements, value));
  }
  const strings = words.length === 0 ? [] : [{ ...ALL_STRINGS, words: [...new Set(words)] }];
  return { literals, numbers, strings, arrays, objects };
}

function numberSet(value: number): NumberSet {
  const decimal = toDecimal(value);
  if (decimal === undefined)
    throw new UnsupportedGrammar([], `the number ${value} is not supported`);
  return buildSingleNumberSet(decimal);
}

function objectSet(
  requirements: SchemaRequirements,
  value: Readonly<Record<string, unknown>>,
): ObjectSet {
  const members = Object.entries(value);
  return {
    named: new Map(members.map(([name, item]) => [name, requirements.requirementOfValue(item)])),
    others: [],
    some: [],
    required: new Set(Object.keys(value)),
    min: members.length,
    max: members.length,
  };
}
