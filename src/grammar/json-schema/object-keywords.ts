import { choice, complement, type GrammarNode } from "../grammar.js";
import { encodeInJson } from "../json-text.js";
import { expectRecord, expectStrings, parseCount } from "./keyword-checks.js";
import type { SchemaPlace } from "./schema-document.js";
import type { SchemaRequirements } from "./schema-requirements.js";
import { compilePattern } from "./string-keywords.js";
import { buildStringContent } from "./string-set.js";
import {
  ALL,
  ALL_OBJECTS,
  type KeyClass,
  type ObjectSet,
  type Requirement,
  type ValueSet,
} from "./value-set.js";

type Schema = Readonly<Record<string, unknown>>;

interface PatternMembers {
  readonly keys: GrammarNode;
  readonly value: Requirement;
}

/**
 * Returns the objects that a schema's keywords allow.
 * @throws {UnsupportedGrammar}
 */
export function parseObjectKeywords(
  requirements: SchemaRequirements,
  place: SchemaPlace,
  schema: Schema,
): readonly ObjectSet[] {
  const { languages } = requirements.algebra;
  const patterns = parsePatternMembers(requirements, place, schema);
  const additional: Requirement =
    schema["additionalProperties"] === undefined
      ? []
      : requirements.requirementBelow(
          place,
          ["additionalProperties"],
          schema["additionalProperties"],
        );
  const properties = expectRecord(place, "properties", schema["properties"] ?? {});
  const named = new Map<string, Requirement>();
  for (const [name, property] of Object.entries(properties)) {
    const ownRequirement = requirements.requirementBelow(place, ["properties", name], property);
    const value = patterns
      .filter(({ keys }) => languages.allHave([keys], encodeInJson(name)))
      .reduce(
        (common, pattern) => requirements.algebra.combineRequirements(common, pattern.value),
        ownRequirement,
      );
    named.set(name, value);
  }
  const required = new Set(
    schema["required"] === undefined || typeof schema["required"] === "boolean"
      ? []
      : expectStrings(place, "required", schema["required"]),
  );
  const min = parseCount(place, schema, "minProperties") ?? 0;
  const max = parseCount(place, schema, "maxProperties") ?? Number.POSITIVE_INFINITY;
  if (min > max) return [];
  const objects: ObjectSet = {
    named,
    others: splitKeyClasses(requirements, patterns, additional),
    some: [],
    required,
    min,
    max,
  };
  return [withPropertyNames(requirements, place, schema, objects)];
}

function parsePatternMembers(
  requirements: SchemaRequirements,
  place: SchemaPlace,
  schema: Schema,
): readonly PatternMembers[] {
  const patterns = expectRecord(place, "patternProperties", schema["patternProperties"] ?? {});
  return Object.entries(patterns).map(([pattern, value]) => {
    const steps = ["patternProperties", pattern];
    return {
      keys: compilePattern(requirements.algebra.languages, [...place.path, ...steps], pattern),
      value: requirements.requirementBelow(place, steps, value),
    };
  });
}

/** Splits the keys into classes by the patterns that match them. */
function splitKeyClasses(
  { algebra }: SchemaRequirements,
  patterns: readonly PatternMembers[],
  additional: Requirement,
): readonly KeyClass[] {
  let classes: readonly (KeyClass & { readonly isMatched: boolean })[] = [
    { keys: [], value: [], isMatched: false },
  ];
  for (const pattern of patterns) {
    classes = classes
      .flatMap(({ keys, value, isMatched }) => [
        {
          keys: [...keys, pattern.keys],
          value: algebra.combineRequirements(value, pattern.value),
          isMatched: true,
        },
        { keys: [...keys, complement(pattern.keys)], value, isMatched },
      ])
      .filter(({ keys }) => !algebra.languages.areDisjoint(keys));
  }
  return classes.map(({ keys, value, isMatched }) => ({
    keys,
    value: isMatched ? value : additional,
  }));
}

function withPropertyNames(
  requirements: SchemaRequirements,
  place: SchemaPlace,
  schema: Schema,
  objects: ObjectSet,
): ObjectSet {
  if (schema["propertyNames"] === undefined) return objects;
  const allowedNames = requirements.evaluate(
    requirements.requirementBelow(place, ["propertyNames"], schema["propertyNames"]),
  );
  const keys = choice(...allowedNames.strings.map(buildStringContent));
  const { languages } = requirements.algebra;
  const named = [...objects.named].map(([name, value]): [string, Requirement] => [
    name,
    languages.allHave([keys], encodeInJson(name)) ? value : requirements.none,
  ]);
  return {
    ...objects,
    named: new Map(named),
    others: objects.others
      .map((one) => ({ ...one, keys: [...one.keys, keys] }))
      .filter((one) => !languages.areDisjoint(one.keys)),
  };
}

const DEPENDENCY_KEYWORDS = ["dependencies", "dependentRequired", "dependentSchemas"] as const;

/**
 * Returns the requirements that depend on the presence of members: other members, or a schema for
 * the whole object.
 * @returns one set per dependency, all of which must hold
 * @throws {UnsupportedGrammar}
 */
export function parseDependencies(
  requirements: SchemaRequirements,
  place: SchemaPlace,
  schema: Readonly<Record<string, unknown>>,
): readonly ValueSet[] {
  const { algebra } = requirements;
  return DEPENDENCY_KEYWORDS.flatMap((keyword) =>
    Object.entries(expectRecord(place, keyword, schema[keyword] ?? {})).map(([name, needed]) => {
      const withoutMember: ObjectSet = {
        ...ALL_OBJECTS,
        named: new Map([[name, requirements.none]]),
      };
      const isList = Array.isArray(needed);
      const names = isList ? expectStrings(place, keyword, needed) : [];
      const withMembers: ObjectSet = { ...ALL_OBJECTS, required: new Set([name, ...names]) };
      const presentValues: ValueSet = { ...ALL, objects: [withMembers] };
      const satisfyingValues = isList
        ? presentValues
        : algebra.intersection(
            presentValues,
            requirements.evaluate(requirements.requirementBelow(place, [keyword, name], needed)),
          );
      return { ...ALL, objects: [withoutMember, ...satisfyingValues.objects] };
    }),
  );
}
