import type { ArgumentSet, ParameterValues, PlainTextOf } from "../argument-set.js";
import { UnsupportedGrammar } from "../errors.js";
import {
  character,
  choice,
  complement,
  type GrammarNode,
  intersection,
  lexeme,
  repeat,
  words,
} from "../grammar.js";
import { ALL_CODE_POINTS } from "../language/code-point-set.js";
import { hasValue, unnamedOf } from "./possible-values.js";
import { type CompiledSchema, compiledJson } from "./schema-grammar.js";
import { nodeOf, valueGrammar } from "./value-grammar.js";
import type { ObjectSet, Requirement, StringSet, ValueSet } from "./value-set.js";

/** Arguments by parameter, and the rules of their values beside those of any JSON. */
export interface SchemaArguments {
  /** Arguments satisfy one of them at least. */
  readonly sets: readonly ArgumentSet[];
  readonly rules: Readonly<Record<string, GrammarNode>>;
}

/**
 * The objects that satisfy a schema, for syntaxes that write each member in a frame of its own: members
 * that the schema names, in its order. Others are not written.
 * @param plainTextOf what the frame of a member can hold as a string
 * @throws {UnsupportedGrammar} names the keyword, or the member that no frame can hold
 * @throws {WorkLimitExceeded}
 */
export function schemaArguments(
  schema: unknown,
  rulePrefix: string,
  plainTextOf: PlainTextOf,
): SchemaArguments {
  return compiledJson(schema, rulePrefix, (compiled) => {
    const sets = new ArgumentWriter(compiled, plainTextOf).sets();
    return { sets, rules: compiled.rules };
  });
}

class ArgumentWriter {
  readonly #compiled: CompiledSchema;
  readonly #plainTextOf: PlainTextOf;
  /** Path of a member that is required and cannot be written. */
  #unwritable: readonly string[] = [];

  constructor(compiled: CompiledSchema, plainTextOf: PlainTextOf) {
    this.#compiled = compiled;
    this.#plainTextOf = plainTextOf;
  }

  sets(): readonly ArgumentSet[] {
    const { root, valuesOf } = this.#compiled;
    const sets = valuesOf(root).objects.flatMap((set) => this.#argumentsOf(set) ?? []);
    if (sets.length > 0) return sets;
    throw new UnsupportedGrammar(
      this.#unwritable,
      "expected arguments that can be written as parameters with names of their own",
    );
  }

  /** `undefined`: they cannot be written. */
  #argumentsOf(set: ObjectSet): ArgumentSet | undefined {
    const { named, required, some, min, max } = set;
    // Its names are only described.
    if (some.length > 0) return undefined;
    const { algebra } = this.#compiled.contextOf([]);
    const members = [
      ...named,
      ...unnamedOf(set).map((name) => [name, algebra.valueOf(set, name)] as const),
    ];
    const parameters: ParameterValues[] = [];
    for (const [name, requirement] of members) {
      const isRequired = required.has(name);
      const values = this.#valuesOf(name, requirement);
      if (values !== undefined) {
        parameters.push({ name, presence: isRequired ? "required" : "optional", ...values });
      } else if (isRequired) {
        this.#unwritable = this.#compiled.contextOf(requirement).path;
        return undefined;
      }
    }
    if (parameters.length < min || required.size > max) return undefined;
    return { parameters, min, max: Number.isFinite(max) ? max : undefined };
  }

  #valuesOf(
    name: string,
    requirement: Requirement,
  ): Pick<ParameterValues, "strings" | "others" | "json"> | undefined {
    const context = this.#compiled.contextOf(requirement);
    if (!context.has(requirement)) return undefined;
    const values = this.#compiled.valuesOf(requirement);
    const strings = this.#stringsOf(name, values);
    const others = { ...values, strings: [] };
    const hasOthers = hasValue(others, context.algebra, context.has);
    if (strings === undefined && !hasOthers) return undefined;
    return {
      strings,
      others: hasOthers ? valueGrammar(others, context) : undefined,
      json: nodeOf(requirement, context),
    };
  }

  /** No control tokens are in them: those are no part of a lexeme. */
  #stringsOf(name: string, { strings }: ValueSet): GrammarNode | undefined {
    const { algebra } = this.#compiled.contextOf([]);
    const language = plainStrings(strings);
    if (language === undefined) return undefined;
    const possible = this.#plainTextOf(name);
    if (language === "any") return lexeme(possible);
    if (algebra.languages.areDisjoint([language, possible])) return undefined;
    return lexeme(intersection(language, possible));
  }
}

const ANY_CHARACTER = character(...ALL_CODE_POINTS);

/**
 * The strings of some sets as they are, without quotes and escapes.
 * @returns `"any"`: all strings; `undefined`: none
 */
function plainStrings(sets: readonly StringSet[]): GrammarNode | "any" | undefined {
  if (sets.length === 0) return undefined;
  const languages = sets.map(plainStringsOf);
  const limited = languages.filter((language) => language !== "any");
  return limited.length < languages.length ? "any" : choice(...limited);
}

function plainStringsOf({
  words: only,
  except,
  languages,
  minLength,
  maxLength,
}: StringSet): GrammarNode | "any" {
  if (only !== undefined) return words(only);
  const max = Number.isFinite(maxLength) ? maxLength : undefined;
  const isLimited = minLength > 0 || max !== undefined;
  if (!isLimited && languages.length === 0 && except.size === 0) return "any";
  const needsCharacters = isLimited || languages.length === 0;
  const length = needsCharacters ? [repeat(ANY_CHARACTER, minLength, max)] : [];
  const others = except.size === 0 ? [] : [complement(words([...except]))];
  return intersection(...languages.map(writtenPlainly), ...others, ...length);
}

/**
 * A language of texts within JSON as a language of the texts that they stand for: both consist of
 * characters, each of which is written in ways that no other one is.
 */
function writtenPlainly(node: GrammarNode): GrammarNode {
  switch (node.type) {
    case "character":
      return { ...node, writing: "plain" };
    case "sequence":
    case "intersection":
      return { ...node, parts: node.parts.map(writtenPlainly) };
    case "choice":
      return { ...node, options: node.options.map(writtenPlainly) };
    case "repeat":
    case "complement":
      return { ...node, of: writtenPlainly(node.of) };
    default:
      // Words of letters and digits only, which are the same in JSON.
      return node;
  }
}
