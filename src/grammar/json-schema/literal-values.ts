import { isJsonObject } from "../../core/json-object.js";
import { UnsupportedGrammar } from "../unsupported-grammar.js";
import { toDecimal } from "./decimal.js";
import { type NumberSet, numberSetOf } from "./number-set.js";
import type { SchemaRequirements } from "./schema-requirements.js";
import {
  ALL_ARRAYS,
  ALL_STRINGS,
  type ArraySet,
  type ObjectSet,
  type ValueSet,
} from "./value-set.js";

type Literal = "null" | "true" | "false";

/** The set of some values. */
export function literalValues(
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
      const prefix = value.map((item) => requirements.equalTo(item));
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
  return numberSetOf(decimal);
}

function objectSet(
  requirements: SchemaRequirements,
  value: Readonly<Record<string, unknown>>,
): ObjectSet {
  const members = Object.entries(value);
  return {
    named: new Map(members.map(([name, item]) => [name, requirements.equalTo(item)])),
    others: [],
    some: [],
    required: new Set(Object.keys(value)),
    min: members.length,
    max: members.length,
  };
}
