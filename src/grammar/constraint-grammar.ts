import { refusalOf } from "../core/errors.js";
import type { OutputConstraint, RequestedConstraint } from "../core/output-constraint.js";
import { parseGbnf } from "./gbnf/parse-gbnf.js";
import type { Grammar, GrammarNode } from "./grammar.js";
import { lexeme, words } from "./grammar-nodes.js";
import { Languages } from "./json-schema/languages.js";
import { schemaGrammar } from "./json-schema/schema-grammar.js";
import { ExpressionStore } from "./language/expression-store.js";
import { WorkLimitExceeded } from "./language/work-limit.js";
import { parseRegex } from "./regex/parse-regex.js";
import { RegexError } from "./regex/regex-error.js";
import { regexGrammar } from "./regex/regex-grammar.js";
import { UnsupportedGrammar } from "./unsupported-grammar.js";

/**
 * The grammar of a constraint.
 * @param rulePrefix begins the names of a schema's rules
 * @throws {GgufdError} `invalid_request`, naming the place in the constraint and the reason
 */
export function constraintGrammar(
  { constraint, field }: RequestedConstraint,
  rulePrefix?: string,
): Grammar {
  return refusing(field, () => compile(constraint, rulePrefix));
}

/**
 * Makes something of a field of a request.
 * @throws {GgufdError} `invalid_request` for what cannot be honoured, naming its place in the field
 */
export function refusing<Result>(field: string, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (error instanceof UnsupportedGrammar) {
      throw refusal([field, ...error.path].join("."), error.message, error);
    }
    if (error instanceof RegexError) throw refusal(field, error.message, error);
    if (error instanceof WorkLimitExceeded) {
      throw refusal(field, "expected something simpler: it takes too much work", error);
    }
    throw error;
  }
}

function refusal(field: string, reason: string, cause: unknown) {
  return refusalOf("invalid_request", [{ field, reason }], { cause });
}

function compile(constraint: OutputConstraint, rulePrefix?: string): Grammar {
  switch (constraint.type) {
    case "json-schema":
      return schemaGrammar(constraint.schema, rulePrefix);
    case "regex":
      return { root: wholeText(constraint.pattern), rules: {} };
    case "choice":
      return { root: words(constraint.options), rules: {} };
    case "gbnf":
      return parseGbnf(constraint.text);
  }
}

/** Work that the search for a text of an expression may take: some hundreds of milliseconds. */
const MAX_WORK = 600_000;

/** The texts of an expression: a lexeme, so that what its assertions exclude is no dead end. */
function wholeText(pattern: string): GrammarNode {
  const texts = regexGrammar(parseRegex(pattern), "whole-text", "plain");
  const store = new ExpressionStore();
  const languages = new Languages(store);
  const isEmpty = store.meter.limit(MAX_WORK, () => languages.areDisjoint([texts]));
  if (isEmpty) throw new UnsupportedGrammar([], "expected an expression that some text matches");
  const whole = lexeme(texts);
  if (!languages.isTractable(whole)) throw new WorkLimitExceeded();
  return whole;
}
