import { UnsupportedGrammar } from "../errors.js";
import type { Grammar, GrammarNode } from "../grammar.js";
import { JSON_RULES } from "../json-text.js";
import { ExpressionStore } from "../language/expression-store.js";
import { withPlaces } from "./placed-sets.js";
import { findInhabited, needsDistinctKeys } from "./possible-values.js";
import { isJsonObject, type SchemaDocument, type SchemaPlace } from "./schema-document.js";
import { SchemaEvaluator } from "./schema-evaluator.js";
import { buildReference, type ValueGrammarContext, valueGrammar } from "./value-grammar.js";
import { ALL, NO_VALUES, type Requirement, type ValueSet } from "./value-set.js";

/** Maximum work for compiling a schema: some hundreds of milliseconds. */
const MAX_WORK = 600_000;

/**
 * Builds the JSON texts whose values satisfy a schema (drafts 4 to 2020-12), written compactly, as
 * by `json.dumps`, or with bounded indentation. Properties follow the order of the schema, and
 * additional ones come after them.
 * @param rulePrefix prefix of its rule names, so that several grammars can be combined
 * @throws {UnsupportedGrammar} with the unsupported keyword
 * @throws {WorkLimitExceeded}
 */
export function schemaGrammar(schema: unknown, rulePrefix = "value"): Grammar {
  return withCompiledSchema(schema, rulePrefix, ({ root, rules, contextOf }) => ({
    root: buildReference(root, contextOf(root)),
    rules: { ...JSON_RULES, ...rules },
  }));
}

/**
 * Compiles a schema and passes it to a function, with a limit on the total work.
 * @throws {UnsupportedGrammar}
 * @throws {WorkLimitExceeded}
 */
export function withCompiledSchema<Result>(
  schema: unknown,
  rulePrefix: string,
  use: (compiled: CompiledSchema) => Result,
): Result {
  const store = new ExpressionStore();
  return store.meter.limit(MAX_WORK, () => use(compileSchema(schema, rulePrefix, store)));
}

/** Schema whose values have been evaluated, with their rules. */
export interface CompiledSchema {
  /** Requirement of the whole schema; empty: any value. */
  readonly root: Requirement;
  /** Rules by name. Grows while values are written, as shared parts are added. */
  readonly rules: Readonly<Record<string, GrammarNode>>;
  readonly valuesOf: (requirement: Requirement) => ValueSet;
  readonly contextOf: (requirement: Requirement) => ValueGrammarContext;
}

/**
 * Evaluates a schema and all requirements reachable from it, and builds a rule for each.
 * @throws {UnsupportedGrammar} with the unsupported keyword
 * @throws {WorkLimitExceeded}
 */
function compileSchema(
  schema: unknown,
  rulePrefix: string,
  store: ExpressionStore,
): CompiledSchema {
  const evaluator = new SchemaEvaluator(store, schema);
  const { algebra, document } = evaluator;
  const root = evaluator.requirementOf(document.root);
  const { requirements, values } = collectReachable(root, evaluator);
  const inhabited = findInhabited(values, algebra);
  const has = (requirement: Requirement) =>
    requirement.length === 0 || inhabited.has(requirement.join());
  for (const [key, requirement] of requirements) {
    if (!values.get(key)?.objects.some((set) => needsDistinctKeys(set, algebra, has))) continue;
    throw new UnsupportedGrammar(
      [...evaluator.pathOf(requirement), "minProperties"],
      "expected at most one more than the number of required properties, or a schema that lists all property names",
    );
  }
  if (!has(root)) {
    const { path } = findUnsatisfiablePlace(document.root, document, (place) => {
      const requirement = evaluator.requirementOf(place);
      const isKnown = requirements.has(requirement.join());
      return isKnown ? !has(requirement) : evaluator.isEmpty(requirement);
    });
    throw new UnsupportedGrammar(path, "expected a schema that a value can satisfy");
  }
  const rules: Record<string, GrammarNode> = {};
  let sharedCount = 0;
  const ruleOf = (requirement: Requirement) => `${rulePrefix}-${requirement.join("-")}`;
  const contextOf = (requirement: Requirement): ValueGrammarContext => ({
    algebra,
    has,
    ruleOf,
    path: evaluator.pathOf(requirement),
    share: (node) => {
      const name = `${rulePrefix}-shared-${sharedCount++}`;
      rules[name] = node;
      return name;
    },
  });
  const valuesOf = (requirement: Requirement) =>
    requirement.length === 0 ? ALL : (values.get(requirement.join()) ?? NO_VALUES);
  for (const [key, requirement] of requirements) {
    if (requirement.length === 0 || !inhabited.has(key)) continue;
    rules[ruleOf(requirement)] = valueGrammar(valuesOf(requirement), contextOf(requirement));
  }
  return { root, rules, valuesOf, contextOf };
}

interface Reachable {
  readonly requirements: ReadonlyMap<string, Requirement>;
  readonly values: ReadonlyMap<string, ValueSet>;
}

/** Returns all requirements of values and their parts, by key, with the values satisfying them. */
function collectReachable(root: Requirement, evaluator: SchemaEvaluator): Reachable {
  const requirements = new Map(root.length === 0 ? [] : [[root.join(), root]]);
  const values = new Map<string, ValueSet>();
  for (const [key, requirement] of requirements) {
    const path = evaluator.pathOf(requirement);
    const satisfyingValues = withPlaces(evaluator.evaluate(requirement), evaluator.algebra, path);
    values.set(key, satisfyingValues);
    for (const part of partsOf(satisfyingValues, evaluator)) {
      if (part.length > 0 && !requirements.has(part.join())) requirements.set(part.join(), part);
    }
  }
  return { requirements, values };
}

function partsOf(
  { arrays, objects }: ValueSet,
  { algebra }: SchemaEvaluator,
): readonly Requirement[] {
  return [
    ...arrays.flatMap(({ prefix, rest, some, max }) => [
      ...prefix,
      ...some.map(({ item }) => item),
      ...(max > prefix.length ? [rest] : []),
    ]),
    ...objects.flatMap((set) => [
      ...set.named.values(),
      ...set.others.map(({ value }) => value),
      ...[...set.required].map((name) => algebra.requirementOfMember(set, name)),
    ]),
  ];
}

/**
 * Finds the innermost schema that makes a schema unsatisfiable. If several schemas are
 * contradictory only in combination, this is the schema around them.
 * @param isUnsatisfiable whether no value satisfies a schema
 */
function findUnsatisfiablePlace(
  place: SchemaPlace,
  document: SchemaDocument,
  isUnsatisfiable: (place: SchemaPlace) => boolean,
): SchemaPlace {
  const seen = new Set<unknown>();
  let currentPlace = place;
  while (!seen.has(currentPlace.schema)) {
    seen.add(currentPlace.schema);
    const inner = listNeededPlaces(currentPlace, document).find(isUnsatisfiable);
    if (inner === undefined) break;
    currentPlace = inner;
  }
  return currentPlace;
}

/**
 * Returns the subschemas that must be satisfiable for a schema to be satisfiable. Assumes that only
 * values of the type they describe are allowed; otherwise the schema would be satisfiable, and its
 * place would not be searched.
 */
function listNeededPlaces(place: SchemaPlace, document: SchemaDocument): readonly SchemaPlace[] {
  if (!isJsonObject(place.schema)) return [];
  const schema = document.keywordsOf(place.schema);
  const { $ref, allOf, required, properties, items, minItems } = schema;
  const reference = typeof $ref === "string" ? [document.resolve(place, $ref)] : [];
  if (reference.length > 0 && document.draft.refSiblings === "ignored") return reference;
  const toPlace = (steps: readonly string[], part: unknown) =>
    document.placeBelow(place, steps, part);
  const listPlaces = (keyword: string, list: unknown, max: number) =>
    Array.isArray(list)
      ? list.slice(0, max).map((part, index) => toPlace([keyword, String(index)], part))
      : [];
  const names = Array.isArray(required) ? required : [];
  const itemsNeeded = typeof minItems === "number" ? minItems : 0;
  const tuple = Array.isArray(items) ? items : schema["prefixItems"];
  const tupleLength = Array.isArray(tuple) ? tuple.length : 0;
  return [
    ...reference,
    ...listPlaces("allOf", allOf, Number.POSITIVE_INFINITY),
    ...names.flatMap((name) =>
      typeof name === "string" && isJsonObject(properties) && Object.hasOwn(properties, name)
        ? [toPlace(["properties", name], properties[name])]
        : [],
    ),
    ...listPlaces(Array.isArray(items) ? "items" : "prefixItems", tuple, itemsNeeded),
    ...(items !== undefined && !Array.isArray(items) && itemsNeeded > tupleLength
      ? [toPlace(["items"], items)]
      : []),
  ];
}
