import type { GrammarNode } from "../../../core/grammar.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { UnsupportedGrammar } from "../unsupported-grammar.js";
import { inhabitedRequirements, needsDistinctKeys } from "./inhabited.js";
import { SchemaEvaluator } from "./schema-evaluator.js";
import type { ValueGrammarContext } from "./value-grammar.js";
import type { Requirement, ValueSet } from "./value-set.js";

/** A schema whose values are known, and rules for them. */
export interface CompiledSchema {
  /** What the whole schema requires; nothing: any value. */
  readonly root: Requirement;
  /** By name; what is shared while values are written is added. */
  readonly rules: Readonly<Record<string, GrammarNode>>;
  readonly valuesOf: (requirement: Requirement) => ValueSet;
  readonly contextOf: (requirement: Requirement) => ValueGrammarContext;
}

export interface SchemaCompilation {
  readonly store: ExpressionStore;
  /** Begins the names of the rules. */
  readonly rulePrefix: string;
  /** Writes the values of a requirement. */
  readonly write: (values: ValueSet, context: ValueGrammarContext) => GrammarNode;
}

/**
 * Evaluates a schema and all that its values are made of, and writes a rule for each.
 * @throws {UnsupportedGrammar} names the keyword that cannot be honoured
 * @throws {WorkLimitExceeded}
 */
export function compileSchema(
  schema: unknown,
  { store, rulePrefix, write }: SchemaCompilation,
): CompiledSchema {
  const evaluator = new SchemaEvaluator(store, schema);
  const { algebra, document } = evaluator;
  const root = evaluator.requirementOf(document.root);
  const requirements = reachableFrom(root, evaluator);
  const values = new Map(
    [...requirements].map(([key, requirement]) => [key, evaluator.evaluate(requirement)]),
  );
  const inhabited = inhabitedRequirements(values, algebra);
  const has = (requirement: Requirement) =>
    requirement.length === 0 || inhabited.has(requirement.join());
  for (const [key, requirement] of requirements) {
    if (!values.get(key)?.objects.some((set) => needsDistinctKeys(set, algebra, has))) continue;
    throw new UnsupportedGrammar(
      [...evaluator.pathOf(requirement), "minProperties"],
      "expected at most one more than there are required properties, or properties with names that are known",
    );
  }
  if (!has(root)) {
    throw new UnsupportedGrammar([], "expected a schema that some value satisfies");
  }
  const rules: Record<string, GrammarNode> = {};
  let shared = 0;
  const ruleOf = (requirement: Requirement) => `${rulePrefix}-${requirement.join("-")}`;
  const contextOf = (requirement: Requirement): ValueGrammarContext => ({
    algebra,
    has,
    ruleOf,
    path: evaluator.pathOf(requirement),
    share: (node) => {
      const name = `${rulePrefix}-shared-${shared++}`;
      rules[name] = node;
      return name;
    },
  });
  for (const [key, requirement] of requirements) {
    if (requirement.length === 0 || !inhabited.has(key)) continue;
    rules[ruleOf(requirement)] = write(evaluator.evaluate(requirement), contextOf(requirement));
  }
  return { root, rules, valuesOf: (requirement) => evaluator.evaluate(requirement), contextOf };
}

/** All requirements that values of a requirement are made of, by their keys. */
function reachableFrom(
  root: Requirement,
  evaluator: SchemaEvaluator,
): ReadonlyMap<string, Requirement> {
  const reachable = new Map(root.length === 0 ? [] : [[root.join(), root]]);
  for (const requirement of reachable.values()) {
    for (const part of partsOf(evaluator.evaluate(requirement), evaluator)) {
      if (part.length > 0 && !reachable.has(part.join())) reachable.set(part.join(), part);
    }
  }
  return reachable;
}

function partsOf(
  { arrays, objects }: ValueSet,
  { algebra }: SchemaEvaluator,
): readonly Requirement[] {
  return [
    ...arrays.flatMap(({ prefix, rest, max }) => [
      ...prefix,
      ...(max > prefix.length ? [rest] : []),
    ]),
    ...objects.flatMap((set) => [
      ...set.named.values(),
      ...set.others.map(({ value }) => value),
      ...[...set.required].map((name) => algebra.valueOf(set, name)),
    ]),
  ];
}
