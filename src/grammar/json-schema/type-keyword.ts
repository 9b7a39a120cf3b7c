import { wrong } from "./keyword-checks.js";
import { ALL_NUMBERS } from "./number-set.js";
import type { SchemaPlace } from "./schema-document.js";
import { ALL } from "./value-algebra.js";
import { NO_VALUES, type ValueSet } from "./value-set.js";

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
 * The values of the types that a schema names; OpenAPI's `nullable` adds null.
 * @throws {UnsupportedGrammar}
 */
export function typesOf(place: SchemaPlace, schema: Readonly<Record<string, unknown>>): ValueSet {
  const { type } = schema;
  if (type === undefined) return ALL;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  const sets = names.map((name) => {
    const set = typeof name === "string" && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (set === undefined) {
      throw wrong(
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
