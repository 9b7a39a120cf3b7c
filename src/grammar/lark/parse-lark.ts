import { UnsupportedGrammar } from "../errors.js";
import {
  buildChoice,
  buildSequence,
  EMPTY,
  type Grammar,
  type GrammarNode,
  optional,
  repeat,
  rule,
} from "../grammar.js";
import { GrammarSource } from "../rules/grammar-source.js";
import { checkLeftRecursion } from "../rules/left-recursion.js";
import { withLexemes } from "../rules/lexeme-rules.js";
import { pruneUnproductiveRules } from "../rules/productive-rules.js";
import { readImports } from "./imports.js";
import { Literals } from "./literals.js";
import { checkTerminals, formatName, IGNORED, isRule, readName, withIgnored } from "./terminals.js";

/** Maximum length of a grammar, in UTF-16 units. Also bounds the number of rules. */
const MAX_LENGTH = 200_000;
const MAX_NESTING = 200;
const START = "start";

/**
 * Parses a grammar in Lark's notation, to the extent supported by llguidance and OpenAI's custom
 * tools. The grammar applies to characters, without a lexer: terminals need not match as much as
 * possible, and a text is allowed if it can be divided into terminals in any way.
 * @throws {UnsupportedGrammar} with line and column, and what was expected there
 */
export function parseLark(definition: string): Grammar {
  if (definition.length > MAX_LENGTH) {
    const reason = `expected at most ${MAX_LENGTH} characters, got ${definition.length}`;
    throw new UnsupportedGrammar([], reason);
  }
  return new Parser(definition).parse();
}

class Parser {
  readonly #source: GrammarSource;
  readonly #literals: Literals;
  readonly #rules = new Map<string, GrammarNode>();
  /** Position of each rule and terminal. */
  readonly #positions = new Map<string, number>();
  /** Position of the first reference to each name. */
  readonly #references = new Map<string, number>();
  readonly #ignoredTexts: GrammarNode[] = [];
  /** Kind of the definition being read; terminals may only refer to terminals. */
  #bodyKind: "rule" | "terminal" = "rule";
  #nesting = 0;

  constructor(definition: string) {
    this.#source = new GrammarSource(definition, ["//", "#"]);
    this.#literals = new Literals(this.#source);
  }

  parse(): Grammar {
    const source = this.#source;
    source.skipSpace("across-lines");
    while (source.next !== undefined) this.#readStatement();
    for (const [name, position] of this.#references) {
      if (!this.#rules.has(name)) {
        throw source.createUnsupportedError(`${formatName(name)} is not defined`, position);
      }
    }
    if (!this.#rules.has(START)) throw source.createExpectedError(`a rule with the name ${START}`);
    const rules = new Map([...this.#rules, ...this.#literals.rules]);
    const createRuleError = (name: string, reason: string) => {
      const position = this.#positions.get(name) ?? this.#literals.places.get(name);
      return source.createUnsupportedError(`${formatName(name)}: ${reason}`, position);
    };
    checkTerminals(rules, createRuleError);
    const spacedRules = withIgnored({ root: rule(START), rules }, this.#ignoredTexts);
    checkLeftRecursion(spacedRules.rules, createRuleError);
    const productiveRules = pruneUnproductiveRules(spacedRules.rules, START, createRuleError);
    return { root: spacedRules.root, rules: Object.fromEntries(withLexemes(productiveRules)) };
  }

  #readStatement(): void {
    const source = this.#source;
    const start = source.position;
    const directive = source.takeMatch(DIRECTIVE);
    if (directive === undefined) this.#readDefinition();
    else if (directive === "%import") this.#addImports();
    else if (directive === IGNORED) {
      if (!this.#positions.has(IGNORED)) this.#positions.set(IGNORED, start);
      this.#bodyKind = "terminal";
      source.skipSpace("within-line");
      this.#ignoredTexts.push(this.#readAlternatives());
    } else throw source.createUnsupportedError(`${directive} is not supported`, start);
    if (source.next !== undefined && source.next !== "\r" && source.next !== "\n") {
      throw source.createExpectedError("a part of a rule, | or a new line");
    }
    source.skipSpace("across-lines");
  }

  #readDefinition(): void {
    const source = this.#source;
    const modifiers = source.takeMatch(MODIFIERS);
    const start = source.position;
    const name = readName(source, modifiers === undefined ? "any" : "rule");
    if (name === undefined)
      throw source.createExpectedError("a rule, a terminal, %import or %ignore");
    if (source.next === "{") throw source.createUnsupportedError("templates are not supported");
    if (source.next === ".") throw source.createUnsupportedError("priorities are not supported");
    if (source.next === "[")
      throw source.createUnsupportedError("options of rules are not supported");
    source.skipSpace("within-line");
    if (!source.take(":")) throw source.createExpectedError(":");
    source.skipSpace("within-line");
    this.#bodyKind = isRule(name) ? "rule" : "terminal";
    this.#define(name, this.#readAlternatives(), start);
  }

  #define(name: string, node: GrammarNode, position: number): void {
    if (this.#rules.has(name)) {
      throw this.#source.createUnsupportedError(
        `expected one definition of ${formatName(name)}, got another`,
        position,
      );
    }
    this.#rules.set(name, node);
    this.#positions.set(name, position);
  }

  #addImports(): void {
    for (const { name, expression, position } of readImports(this.#source)) {
      this.#define(name, this.#literals.buildExpression(expression), position);
    }
  }

  #readAlternatives(): GrammarNode {
    const source = this.#source;
    const options = [this.#readAlternative()];
    while (source.takeAfterSpace("|")) {
      this.#skipSpace();
      options.push(this.#readAlternative());
    }
    return buildChoice(options);
  }

  /**
   * Reads a sequence and its alias, which has no effect, as it only names a node of the parse tree.
   */
  #readAlternative(): GrammarNode {
    const source = this.#source;
    const parts = this.#readSequence();
    if (source.take("->")) {
      this.#skipSpace();
      if (readName(source, "rule") === undefined)
        throw source.createExpectedError("a name in lower case");
      this.#skipSpace();
    }
    return parts;
  }

  #readSequence(): GrammarNode {
    const parts: GrammarNode[] = [];
    for (;;) {
      const item = this.#readItem();
      if (item === undefined) return parts.length === 0 ? EMPTY : buildSequence(parts);
      this.#skipSpace();
      const bounds = readBounds(this.#source);
      parts.push(bounds === undefined ? item : repeat(item, bounds.min, bounds.max));
      this.#skipSpace();
    }
  }

  /** Reads a part of a sequence without its repetition; `undefined` at the end of the sequence. */
  #readItem(): GrammarNode | undefined {
    const source = this.#source;
    switch (source.next) {
      case '"':
        return this.#literals.readText();
      case "/":
        return this.#literals.readExpression();
      case "(":
        return this.#readGroup(")");
      case "[":
        return optional(this.#readGroup("]"));
      case "*":
      case "+":
      case "?":
      case "~":
      case "{":
        throw source.createExpectedError("something that can be repeated");
      case "<":
        throw source.createUnsupportedError("tokens in angle brackets are not supported");
      case "@":
        throw source.createUnsupportedError("references to other grammars are not supported");
      case "&":
        throw source.createUnsupportedError("intersections are not supported");
      case "%": {
        const start = source.position;
        throw source.createUnsupportedError(
          `${source.takeMatch(DIRECTIVE) ?? "%"} is not supported`,
          start,
        );
      }
      default:
        return this.#readReference();
    }
  }

  #readReference(): GrammarNode | undefined {
    const source = this.#source;
    const start = source.position;
    const name = readName(source, "any");
    if (name === undefined) return undefined;
    if (this.#bodyKind === "terminal" && isRule(name)) {
      throw source.createUnsupportedError(
        `expected a terminal, got the ${formatName(name)}`,
        start,
      );
    }
    if (!this.#references.has(name)) this.#references.set(name, start);
    return rule(name);
  }

  #readGroup(end: ")" | "]"): GrammarNode {
    const source = this.#source;
    if (++this.#nesting > MAX_NESTING) {
      throw source.createUnsupportedError(`expected at most ${MAX_NESTING} nested groups`);
    }
    source.take(end === ")" ? "(" : "[");
    source.skipSpace("across-lines");
    const group = this.#readAlternatives();
    if (!source.take(end)) throw source.createExpectedError(`a part of a group, | or ${end}`);
    this.#nesting--;
    return group;
  }

  /** Skips white space; within groups, a sequence continues on the next line. */
  #skipSpace(): void {
    this.#source.skipSpace(this.#nesting > 0 ? "across-lines" : "within-line");
  }
}

const DIRECTIVE = /%[A-Za-z_]*/y;
/** Modifiers of rules, which have no effect, as they only shape the parse tree. */
const MODIFIERS = /\?!?|!\??/y;

/** Bounds of a repetition; absent `max`: no limit. */
interface Bounds {
  readonly min: number;
  readonly max?: number;
}

/** Maximum number of repetitions. No text is that long, so a larger maximum means no limit. */
const MAX_REPETITIONS = 1_000_000;
const DIGITS = /\d+/y;
const BLANKS = /[ \t]*/y;
const TWO_DOTS = /[ \t]*\.\.[ \t]*/y;

/**
 * Reads the repetition of a part: `?`, `*`, `+`, `~n`, `~n..m`, `{n}`, `{n,}`, `{,m}` or `{n,m}`.
 * @returns `undefined` if there is none
 * @throws {UnsupportedGrammar}
 */
function readBounds(source: GrammarSource): Bounds | undefined {
  if (source.take("*")) return { min: 0 };
  if (source.take("+")) return { min: 1 };
  if (source.take("?")) return { min: 0, max: 1 };
  const start = source.position;
  if (source.take("~")) return checkBounds(source, start, readRange(source));
  if (source.take("{")) return checkBounds(source, start, readBraces(source));
  return undefined;
}

function readRange(source: GrammarSource): Bounds {
  const min = readNumber(source);
  if (min === undefined) throw source.createExpectedError("a number");
  if (source.takeMatch(TWO_DOTS) === undefined) return { min, max: min };
  const max = readNumber(source);
  if (max === undefined) throw source.createExpectedError("a number");
  return { min, max };
}

function readBraces(source: GrammarSource): Bounds {
  const low = readNumber(source);
  if (low === undefined && source.next !== ",") {
    throw source.createExpectedError("a number or a comma: templates are not supported");
  }
  const min = low ?? 0;
  const max = source.take(",") ? readNumber(source) : min;
  if (!source.take("}")) throw source.createExpectedError("a comma or }");
  return max === undefined ? { min } : { min, max };
}

function readNumber(source: GrammarSource): number | undefined {
  source.takeMatch(BLANKS);
  const digits = source.takeMatch(DIGITS);
  if (digits !== undefined) source.takeMatch(BLANKS);
  return digits === undefined ? undefined : Number(digits);
}

function checkBounds(source: GrammarSource, start: number, { min, max }: Bounds): Bounds {
  if (min > MAX_REPETITIONS) {
    const reason = `expected at most ${MAX_REPETITIONS} repetitions, got ${min}`;
    throw source.createUnsupportedError(reason, start);
  }
  if (max === undefined || max > MAX_REPETITIONS) return { min };
  if (max < min) {
    throw source.createUnsupportedError(`expected a maximum of at least ${min}, got ${max}`, start);
  }
  return { min, max };
}
