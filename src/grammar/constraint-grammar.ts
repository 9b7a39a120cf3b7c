import { UnsupportedGrammar, WorkLimitExceeded } from "./errors.js";
import { parseGbnf } from "./gbnf/parse-gbnf.js";
import { type Grammar, type GrammarNode, lexeme, words } from "./grammar.js";
import { RegularLanguages } from "./json-schema/regular-languages.js";
import { schemaGrammar } from "./json-schema/schema-grammar.js";
import { ExpressionStore } from "./language/expression-store.js";
import { writtenRules } from "./lark/lark-arguments.js";
import { parseRegex } from "./regex/parse-regex.js";
import { regexGrammar } from "./regex/regex-grammar.js";

/** What a text must be. Plain data. */
export type Constraint =
  /** JSON whose value satisfies a schema. */
  | { readonly type: "json-schema"; readonly schema: unknown }
  /** The whole text matches a regular expression of ECMA-262. */
  | { readonly type: "regex"; readonly pattern: string }
  /** One of these texts. */
  | { readonly type: "choice"; readonly options: readonly string[] }
  /** A grammar in llama.cpp's notation. */
  | { readonly type: "gbnf"; readonly text: string };

/**
 * The grammar of a constraint.
 * @param rulePrefix begins the names of its rules, where it becomes a part of another grammar
 * @throws {UnsupportedGrammar} names the place in the constraint and the reason
 * @throws {RegexError}
 * @throws {WorkLimitExceeded}
 */
export function constraintGrammar(constraint: Constraint, rulePrefix?: string): Grammar {
  switch (constraint.type) {
    case "json-schema":
      return schemaGrammar(constraint.schema, rulePrefix);
    case "regex":
      return { root: wholeText(constraint.pattern), rules: {} };
    case "choice":
      return { root: words(constraint.options), rules: {} };
    case "gbnf":
      return rulePrefix === undefined
        ? parseGbnf(constraint.text)
        : writtenRules(parseGbnf(constraint.text), rulePrefix, "plain");
  }
}

/** Work that the search for a text of an expression may take: some hundreds of milliseconds. */
const MAX_WORK = 600_000;

/** The texts of an expression: a lexeme, so that what its assertions exclude is no dead end. */
function wholeText(pattern: string): GrammarNode {
  const texts = regexGrammar(parseRegex(pattern), "whole-text", "plain");
  const store = new ExpressionStore();
  const languages = new RegularLanguages(store);
  const isEmpty = store.meter.limit(MAX_WORK, () => languages.areDisjoint([texts]));
  if (isEmpty) throw new UnsupportedGrammar([], "expected an expression that some text matches");
  const whole = lexeme(texts);
  if (!languages.isTractable(whole)) throw new WorkLimitExceeded();
  return whole;
}
