import type { ArgumentSet, PlainTextOf } from "../argument-set.js";
import { UnsupportedGrammar } from "../errors.js";
import { type Grammar, type GrammarNode, intersection, rule, sequence, text } from "../grammar.js";
import { bracketed, COLON, wordsInJson } from "../json-text.js";
import { mayGetStuck } from "./dead-end-search.js";
import { parseLark } from "./parse-lark.js";

/** The only parameter of a tool whose argument is a text of a grammar. */
export interface LarkParameter {
  readonly name: string;
  /** Grammar in Lark's notation. */
  readonly grammar: string;
}

/** Argument sets and the rules of their values. */
interface LarkArguments {
  readonly sets: readonly ArgumentSet[];
  readonly rules: Readonly<Record<string, GrammarNode>>;
}

/**
 * Builds the JSON objects whose only member is a text of a Lark grammar.
 * @param rulePrefix prefix of its rule names
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
 * Builds the arguments of a Lark grammar for syntaxes that write each parameter separately.
 * @param plainTextOf returns the texts that the frame of a parameter can hold as a string
 * @throws {UnsupportedGrammar} also for texts that the frame cannot hold
 * @throws {WorkLimitExceeded}
 */
export function larkArguments(
  { name, grammar }: LarkParameter,
  rulePrefix: string,
  plainTextOf: PlainTextOf,
): LarkArguments {
  const parsedGrammar = parseLark(grammar);
  const writableTexts = plainTextOf(name);
  if (mayGetStuck(parsedGrammar, writableTexts)) {
    throw new UnsupportedGrammar(
      [],
      "expected a grammar that is never forced to write the mark that ends an argument in this model's tool calls",
    );
  }
  const plain = encodeRules(parsedGrammar, `${rulePrefix}-plain`, "plain");
  const json = jsonString(parsedGrammar, rulePrefix);
  const parameter = {
    name,
    presence: "required",
    strings: intersection(plain.root, writableTexts),
    others: undefined,
    json: json.root,
  } as const;
  return { sets: [{ parameters: [parameter], min: 1 }], rules: { ...plain.rules, ...json.rules } };
}

/** Builds the texts of a grammar as JSON strings. */
function jsonString(grammar: Grammar, rulePrefix: string): Grammar {
  const { root, rules } = encodeRules(grammar, `${rulePrefix}-json`, "in-json");
  return { root: sequence(text('"'), root, text('"')), rules };
}

/** Encoding of a grammar's texts: unchanged, or as the content of a JSON string. */
type TextEncoding = "plain" | "in-json";

/** Converts a grammar to an encoding, with prefixed rule names. */
export function encodeRules(
  { root, rules }: Grammar,
  prefix: string,
  encoding: TextEncoding,
): Grammar {
  const encodeNode = (node: GrammarNode): GrammarNode => {
    switch (node.type) {
      case "words":
        return encoding === "plain" ? node : wordsInJson(node.words);
      case "character":
        return { ...node, encoding };
      case "rule":
        return rule(nameOf(node.name));
      case "sequence":
        return { ...node, parts: node.parts.map(encodeNode) };
      case "choice":
        return { ...node, options: node.options.map(encodeNode) };
      case "repeat":
      case "lexeme":
        return { ...node, of: encodeNode(node.of) };
      default:
        return node;
    }
  };
  const nameOf = (name: string) => `${prefix}-${name}`;
  return {
    root: encodeNode(root),
    rules: Object.fromEntries(
      Object.entries(rules).map(([name, body]) => [nameOf(name), encodeNode(body)]),
    ),
  };
}
