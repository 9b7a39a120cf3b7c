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
import { type CompiledSchema, withCompiledSchema } from "./schema-grammar.js";
import { buildReference, valueGrammar } from "./value-grammar.js";
import type { ObjectSet, Requirement, StringSet, ValueSet } from "./value-set.js";

/** Argument sets of a schema, and the rules of their values without those of any JSON value. */
export interface SchemaArguments {
  /** Alternatives: arguments must satisfy at least one of them. */
  readonly sets: readonly ArgumentSet[];
  readonly rules: Readonly<Record<string, GrammarNode>>;
}

/**
 * Compiles a schema for syntaxes that write each member in a separate frame. The members are those
 * named by the schema, in its order; others cannot be written.
 * @param plainTextOf returns the texts that the frame of a member can hold as a string
 * @throws {UnsupportedGrammar} with the keyword, or the member that no frame can hold
 * @throws {WorkLimitExceeded}
 */
export function schemaArguments(
  schema: unknown,
  rulePrefix: string,
  plainTextOf: PlainTextOf,
): SchemaArguments {
  return withCompiledSchema(schema, rulePrefix, (compiled) => {
    const sets = new ArgumentWriter(compiled, plainTextOf).buildSets();
    return { sets, rules: compiled.rules };
  });
}

class ArgumentWriter {
  readonly #compiled: CompiledSchema;
  readonly #plainTextOf: PlainTextOf;
  /** Path of a required member that cannot be written. */
  #unwritablePath: readonly string[] = [];

  constructor(compiled: CompiledSchema, plainTextOf: PlainTextOf) {
    this.#compiled = compiled;
    this.#plainTextOf = plainTextOf;
  }

  buildSets(): readonly ArgumentSet[] {
    const { root, valuesOf } = this.#compiled;
    const sets = valuesOf(root).objects.flatMap((set) => this.#argumentsOf(set) ?? []);
    if (sets.length > 0) return sets;
    throw new UnsupportedGrammar(
      this.#unwritablePath,
      "expected arguments whose names are listed by the schema",
    );
  }

  /** Returns `undefined` if the arguments cannot be written. */
  #argumentsOf(set: ObjectSet): ArgumentSet | undefined {
    const { named, required, some, min, max } = set;
    // A frame needs a fixed key; the keys of these members are known only as a language.
    if (some.length > 0) return undefined;
    const { algebra } = this.#compiled.contextOf([]);
    const members = [
      ...named,
      ...unnamedOf(set).map((name) => [name, algebra.requirementOfMember(set, name)] as const),
    ];
    const parameters: ParameterValues[] = [];
    for (const [name, requirement] of members) {
      const isRequired = required.has(name);
      const values = this.#valuesOf(name, requirement);
      if (values !== undefined) {
        parameters.push({ name, presence: isRequired ? "required" : "optional", ...values });
      } else if (isRequired) {
        this.#unwritablePath = this.#compiled.contextOf(requirement).path;
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
      json: buildReference(requirement, context),
    };
  }

  /** Returns the strings without control tokens, which cannot be part of a lexeme. */
  #stringsOf(name: string, { strings }: ValueSet): GrammarNode | undefined {
    const { algebra } = this.#compiled.contextOf([]);
    const language = unitePlainStrings(strings);
    if (language === undefined) return undefined;
    const writableTexts = this.#plainTextOf(name);
    if (language === "any") return lexeme(writableTexts);
    if (algebra.languages.areDisjoint([language, writableTexts])) return undefined;
    return lexeme(intersection(language, writableTexts));
  }
}

const ANY_CHARACTER = character(...ALL_CODE_POINTS);

/**
 * Returns the strings of some sets unencoded, without quotes and escapes.
 * @returns `"any"`: all strings; `undefined`: none
 */
function unitePlainStrings(sets: readonly StringSet[]): GrammarNode | "any" | undefined {
  if (sets.length === 0) return undefined;
  const languages = sets.map(buildPlainStrings);
  const limited = languages.filter((language) => language !== "any");
  return limited.length < languages.length ? "any" : choice(...limited);
}

function buildPlainStrings({
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
  return intersection(...languages.map(toPlainEncoding), ...others, ...length);
}

/**
 * Converts a language of JSON-encoded texts to the texts that they encode. The conversion is exact
 * because both consist of characters whose encodings do not overlap.
 */
function toPlainEncoding(node: GrammarNode): GrammarNode {
  switch (node.type) {
    case "character":
      return { ...node, encoding: "plain" };
    case "sequence":
    case "intersection":
      return { ...node, parts: node.parts.map(toPlainEncoding) };
    case "choice":
      return { ...node, options: node.options.map(toPlainEncoding) };
    case "repeat":
    case "complement":
      return { ...node, of: toPlainEncoding(node.of) };
    default:
      // The remaining nodes contain letters and digits only, which JSON does not change.
      return node;
  }
}
