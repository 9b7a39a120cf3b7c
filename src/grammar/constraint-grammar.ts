import { UnsupportedGrammar, WorkLimitExceeded } from "./errors.js";
import { parseGbnf } from "./gbnf/parse-gbnf.js";
import { type Grammar, type GrammarNode, lexeme, words } from "./grammar.js";
import { RegularLanguages } from "./json-schema/regular-languages.js";
import { schemaGrammar } from "./json-schema/schema-grammar.js";
import { ExpressionStore } from "./language/expression-store.js";
import { encodeRules } from "./lark/lark-arguments.js";
import { parseRegex } from "./regex/parse-regex.js";
import { regexGrammar } from "./regex/regex-grammar.js";

/** Constraint on a generated text. Plain data. */
export type Constraint =
  /** JSON whose value satisfies a schema. */
  | { readonly type: "json-schema"; readonly schema: unknown }
  /** Text that matches an ECMA-262 regular expression as a whole. */
  | { readonly type: "regex"; readonly pattern: string }
  /** Exactly one of these texts. */
  | { readonly type: "choice"; readonly options: readonly string[] }
  /** Grammar in GBNF, llama.cpp's notation. */
  | { readonly type: "gbnf"; readonly text: string };

/**
 * Builds the grammar of a constraint.
 * @param rulePrefix prefix of its rule names, for use as a part of another grammar
 * @throws {UnsupportedGrammar} with the path within the constraint and the reason
 * @throws {RegexError}
 * @throws {WorkLimitExceeded}
 */
export function constraintGrammar(constraint: Constraint, rulePrefix?: string): Grammar {
  switch (constraint.type) {
    case "json-schema":
      return schemaGrammar(constraint.schema, rulePrefix);
    case "regex":
      return { root: buildWholeText(constraint.pattern), rules: {} };
    case "choice":
      return { root: words(constraint.options), rules: {} };
    case "gbnf":
      return rulePrefix === undefined
        ? parseGbnf(constraint.text)
        : encodeRules(parseGbnf(constraint.text), rulePrefix, "plain");
  }
}

/**
 * Maximum work, in units, of the search for a text that an expression matches: some hundreds of
 * milliseconds.
 */
const MAX_WORK = 600_000;

/**
 * Builds the texts of an expression as a lexeme, so that texts excluded by its assertions do not
 * become dead ends.
 */
function buildWholeText(pattern: string): GrammarNode {
  const texts = regexGrammar(parseRegex(pattern), "whole-text", "plain");
  const store = new ExpressionStore();
  const languages = new RegularLanguages(store);
  const isEmpty = store.meter.limit(MAX_WORK, () => languages.areDisjoint([texts]));
  if (isEmpty) throw new UnsupportedGrammar([], "expected an expression that matches some text");
  const wholeLexeme = lexeme(texts);
  if (!languages.isTractable(wholeLexeme)) throw new WorkLimitExceeded();
  return wholeLexeme;
}
