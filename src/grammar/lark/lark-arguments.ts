import type { LarkParameter } from "../../core/generation-request.js";
import type { ArgumentSet, PlainTextOf } from "../argument-set.js";
import type { Grammar, GrammarNode } from "../grammar.js";
import { intersection, rule, sequence, text } from "../grammar-nodes.js";
import { bracketed, COLON } from "../json-text/json-text.js";
import { UnsupportedGrammar } from "../unsupported-grammar.js";
import { mayGetStuck } from "./may-get-stuck.js";
import { parseLark } from "./parse-lark.js";
import { writtenRules } from "./written-rules.js";

/** Arguments by parameter, and the rules of their values. */
interface LarkArguments {
  readonly sets: readonly ArgumentSet[];
  readonly rules: Readonly<Record<string, GrammarNode>>;
}

/**
 * The JSON objects whose only member is a text of a grammar in Lark's notation.
 * @param rulePrefix begins the names of its rules
 * @throws {UnsupportedGrammar}
 */
export function larkObject({ name, grammar }: LarkParameter, rulePrefix: string): Grammar {
  const { root, rules } = jsonString(parseLark(grammar), rulePrefix);
  const member = `${rulePrefix}-member`;
  return {
    root: bracketed("{", rule(member), "}"),
    rules: { ...rules, [member]: sequence(text(JSON.stringify(name)), COLON, root) },
  };
}

/**
 * The same for syntaxes that write each parameter by itself.
 * @param plainTextOf what the frame of a parameter can hold as a string
 * @throws {UnsupportedGrammar} also for texts that the frame cannot hold
 * @throws {WorkLimitExceeded}
 */
export function larkArguments(
  { name, grammar }: LarkParameter,
  rulePrefix: string,
  plainTextOf: PlainTextOf,
): LarkArguments {
  const parsed = parseLark(grammar);
  const possible = plainTextOf(name);
  if (mayGetStuck(parsed, possible)) {
    throw new UnsupportedGrammar(
      [],
      "expected texts that can always go on without what ends an argument in the calls of this model",
    );
  }
  const plain = writtenRules(parsed, `${rulePrefix}-plain`, "plain");
  const json = jsonString(parsed, rulePrefix);
  const parameter = {
    name,
    presence: "required",
    strings: intersection(plain.root, possible),
    others: undefined,
    json: json.root,
  } as const;
  return { sets: [{ parameters: [parameter], min: 1 }], rules: { ...plain.rules, ...json.rules } };
}

/** The texts of a grammar as JSON strings. */
function jsonString(grammar: Grammar, rulePrefix: string): Grammar {
  const { root, rules } = writtenRules(grammar, `${rulePrefix}-json`, "in-json");
  return { root: sequence(text('"'), root, text('"')), rules };
}
