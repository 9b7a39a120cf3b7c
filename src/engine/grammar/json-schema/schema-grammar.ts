import type { Grammar, GrammarNode } from "../../../core/grammar.js";
import { rule } from "../../../core/grammar-nodes.js";
import { ANY_VALUE, JSON_RULES } from "../json-text/json-text.js";
import { ExpressionStore } from "../language/expression-store.js";
import { UnsupportedGrammar } from "../unsupported-grammar.js";
import { inhabitedRequirements } from "./inhabited.js";
import { SchemaEvaluator } from "./schema-evaluator.js";
import { valueGrammar } from "./value-grammar.js";
import type { Requirement, ValueSet } from "./value-set.js";

/** Expressions, and what is counted like them, that a schema may take. */
const MAX_WORK = 200_000;

/**
 * The JSON texts whose values satisfy a schema (drafts 4 to 2020-12), written compactly, as `json.dumps`
 * does or with a bounded indentation. Properties stand in the order of the schema, additional ones behind
 * them.
 * @param rulePrefix begins the names of its rules, so that several grammars can be one
 * @throws {UnsupportedGrammar} names the keyword that cannot be honoured
 * @throws {WorkLimitExceeded}
 */
export function schemaGrammar(schema: unknown, rulePrefix = "value"): Grammar {
  const store = new ExpressionStore();
  return store.meter.limit(MAX_WORK, () => compile(store, schema, rulePrefix));
}

function compile(store: ExpressionStore, schema: unknown, rulePrefix: string): Grammar {
  const evaluator = new SchemaEvaluator(store, schema);
  const { algebra, document } = evaluator;
  const root = evaluator.requirementOf(document.root);
  if (root.length === 0) return { root: ANY_VALUE, rules: JSON_RULES };
  const requirements = reachableFrom(root, evaluator);
  const values = new Map(
    [...requirements].map(([key, requirement]) => [key, evaluator.evaluate(requirement)]),
  );
  const inhabited = inhabitedRequirements(values, algebra);
  const has = (requirement: Requirement) =>
    requirement.length === 0 || inhabited.has(requirement.join());
  if (!has(root)) {
    throw new UnsupportedGrammar([], "expected a schema that some value satisfies");
  }
  const ruleOf = (requirement: Requirement) => `${rulePrefix}-${requirement.join("-")}`;
  const rules: Record<string, GrammarNode> = { ...JSON_RULES };
  for (const [key, requirement] of requirements) {
    const set = values.get(key);
    if (set === undefined || !inhabited.has(key)) continue;
    const context = { algebra, has, ruleOf, path: evaluator.pathOf(requirement) };
    rules[ruleOf(requirement)] = valueGrammar(set, context);
  }
  return { root: rule(ruleOf(root)), rules };
}

/** All requirements that values of a requirement are made of, by their keys. */
function reachableFrom(
  root: Requirement,
  evaluator: SchemaEvaluator,
): ReadonlyMap<string, Requirement> {
  const reachable = new Map([[root.join(), root]]);
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
