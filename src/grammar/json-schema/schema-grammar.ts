import type { Grammar } from "../grammar.js";
import { JSON_RULES } from "../json-text/json-text.js";
import { ExpressionStore } from "../language/expression-store.js";
import { type CompiledSchema, compileSchema } from "./compiled-schema.js";
import { nodeOf, valueGrammar } from "./value-grammar.js";

/** Work that a schema may take: some hundreds of milliseconds. */
const MAX_WORK = 600_000;

/**
 * The JSON texts whose values satisfy a schema (drafts 4 to 2020-12), written compactly, as `json.dumps`
 * does or with a bounded indentation. Properties stand in the order of the schema, additional ones behind
 * them.
 * @param rulePrefix begins the names of its rules, so that several grammars can be one
 * @throws {UnsupportedGrammar} names the keyword that cannot be honoured
 * @throws {WorkLimitExceeded}
 */
export function schemaGrammar(schema: unknown, rulePrefix = "value"): Grammar {
  return compiledJson(schema, rulePrefix, ({ root, rules, contextOf }) => ({
    root: nodeOf(root, contextOf(root)),
    rules: { ...JSON_RULES, ...rules },
  }));
}

/**
 * Makes something of a schema whose values are written as JSON.
 * @throws {UnsupportedGrammar}
 * @throws {WorkLimitExceeded}
 */
export function compiledJson<Result>(
  schema: unknown,
  rulePrefix: string,
  use: (compiled: CompiledSchema) => Result,
): Result {
  const store = new ExpressionStore();
  return store.meter.limit(MAX_WORK, () => {
    return use(compileSchema(schema, { store, rulePrefix, write: valueGrammar }));
  });
}
