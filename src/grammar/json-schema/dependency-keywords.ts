import { expectRecord, expectStrings } from "./keyword-checks.js";
import type { SchemaPlace } from "./schema-document.js";
import type { SchemaRequirements } from "./schema-requirements.js";
import { ALL } from "./value-algebra.js";
import { ALL_OBJECTS, type ObjectSet, type ValueSet } from "./value-set.js";

const KEYWORDS = ["dependencies", "dependentRequired", "dependentSchemas"] as const;

/**
 * What the presence of members requires: other members, or a schema for the whole object.
 * @returns one set for each dependency; all of them hold
 * @throws {UnsupportedGrammar}
 */
export function dependenciesOf(
  requirements: SchemaRequirements,
  place: SchemaPlace,
  schema: Readonly<Record<string, unknown>>,
): readonly ValueSet[] {
  const { algebra } = requirements;
  return KEYWORDS.flatMap((keyword) =>
    Object.entries(expectRecord(place, keyword, schema[keyword] ?? {})).map(([name, needed]) => {
      const without: ObjectSet = { ...ALL_OBJECTS, named: new Map([[name, requirements.none]]) };
      const isList = Array.isArray(needed);
      const names = isList ? expectStrings(place, keyword, needed) : [];
      const withAll: ObjectSet = { ...ALL_OBJECTS, required: new Set([name, ...names]) };
      const present: ValueSet = { ...ALL, objects: [withAll] };
      const satisfied = isList
        ? present
        : algebra.intersection(
            present,
            requirements.evaluate(requirements.requirementBelow(place, [keyword, name], needed)),
          );
      return { ...ALL, objects: [without, ...satisfied.objects] };
    }),
  );
}
