import { UnsupportedGrammar } from "../errors.js";
import {
  buildChoice,
  buildSequence,
  character,
  type Grammar,
  type GrammarNode,
  repeat,
  rule,
  text,
} from "../grammar.js";
import {
  type CodePointSet,
  codePointSet,
  isSurrogate,
  MAX_CODE_POINT,
  subtract,
} from "../language/code-point-set.js";
import { GrammarSource } from "../rules/grammar-source.js";
import { checkLeftRecursion } from "../rules/left-recursion.js";
import { withLexemes } from "../rules/lexeme-rules.js";
import { pruneUnproductiveRules } from "../rules/productive-rules.js";

/** Maximum length of a grammar, in UTF-16 units. Also bounds the number of rules. */
const MAX_LENGTH = 200_000;
const MAX_NESTING = 200;
/** Maximum number of repetitions. No text is that long, so a larger maximum means no limit. */
const MAX_REPETITIONS = 1_000_000;
const NAME = /[A-Za-z0-9-]+/y;
const DIGITS = /\d+/y;
const TOKEN = /<[^>]*>/y;

/**
 * Parses a grammar as llama.cpp reads it (its `grammars/README.md` and `src/llama-grammar.cpp`). If
 * several rules have the same name, the last one counts. Tokens cannot be given by number: `<text>`
 * is a control token, or its text if the model has no such token, and `!<text>*` is anything
 * without it.
 * @throws {UnsupportedGrammar} with line and column, and what was expected there
 */
export function parseGbnf(text: string): Grammar {
  if (text.length > MAX_LENGTH) {
    throw new UnsupportedGrammar(
      [],
      `expected at most ${MAX_LENGTH} characters, got ${text.length}`,
    );
  }
  return new Parser(text).parse();
}

class Parser {
  readonly #source: GrammarSource;
  readonly #rules = new Map<string, GrammarNode>();
  /** Position of each rule. */
  readonly #positions = new Map<string, number>();
  /** Position of the first reference to each name. */
  readonly #references = new Map<string, number>();
  #nesting = 0;

  constructor(text: string) {
    this.#source = new GrammarSource(text, ["#"]);
  }

  parse(): Grammar {
    const source = this.#source;
    source.skipSpace("across-lines");
    while (source.next !== undefined) this.#readRule();
    for (const [name, position] of this.#references) {
      if (!this.#rules.has(name))
        throw source.createUnsupportedError(`rule ${name} is not defined`, position);
    }
    if (!this.#rules.has("root")) throw source.createExpectedError("a rule with the name root");
    const createRuleError = (name: string, reason: string) =>
      source.createUnsupportedError(`rule ${name}: ${reason}`, this.#positions.get(name));
    checkLeftRecursion(this.#rules, createRuleError);
    const rules = pruneUnproductiveRules(this.#rules, "root", createRuleError);
    return { root: rule("root"), rules: Object.fromEntries(withLexemes(rules)) };
  }

  #readRule(): void {
    const source = this.#source;
    const name = this.#readName();
    if (name === undefined)
      throw source.createExpectedError("the name of a rule: letters, digits and -");
    this.#positions.set(name, source.position - name.length);
    source.skipSpace("within-line");
    if (!source.take("::=")) throw source.createExpectedError("::=");
    source.skipSpace("across-lines");
    this.#rules.set(name, this.#readAlternatives());
    if (source.next !== undefined && source.next !== "\r" && source.next !== "\n") {
      throw source.createExpectedError("a part of a rule, | or a new line");
    }
    source.skipSpace("across-lines");
  }

  #readAlternatives(): GrammarNode {
    const options = [this.#readSequence()];
    while (this.#source.take("|")) {
      this.#source.skipSpace("across-lines");
      options.push(this.#readSequence());
    }
    return buildChoice(options);
  }

  #readSequence(): GrammarNode {
    const parts: GrammarNode[] = [];
    for (;;) {
      const item = this.#readItem();
      if (item === undefined) return buildSequence(parts);
      this.#skipSpace();
      parts.push(this.#readRepetitions(item));
    }
  }

  /** Reads a part of a sequence without its repetition; `undefined` at the end of the sequence. */
  #readItem(): GrammarNode | undefined {
    const source = this.#source;
    const name = this.#readName();
    if (name !== undefined) return this.#addReference(name);
    switch (source.next) {
      case '"':
        source.take('"');
        return readLiteral(source);
      case "[":
        source.take("[");
        return readClass(source);
      case ".":
        source.take(".");
        return ANY_CHARACTER;
      case "(":
        source.take("(");
        return this.#readGroup();
      case "<":
        return { type: "control-token", text: this.#readToken() };
      case "!":
        source.take("!");
        return this.#readAnythingWithout();
      case "*":
      case "+":
      case "?":
      case "{":
        throw source.createExpectedError("something that can be repeated");
      default:
        return undefined;
    }
  }

  #addReference(name: string): GrammarNode {
    if (!this.#references.has(name)) {
      this.#references.set(name, this.#source.position - name.length);
    }
    return rule(name);
  }

  #readGroup(): GrammarNode {
    const source = this.#source;
    this.#nest();
    source.skipSpace("across-lines");
    const group = this.#readAlternatives();
    if (!source.take(")")) throw source.createExpectedError("a part of a group, | or )");
    this.#nesting--;
    return group;
  }

  /** Reads `!<text>*` after the `!`. */
  #readAnythingWithout(): GrammarNode {
    const source = this.#source;
    const text = this.#readToken();
    this.#skipSpace();
    if (!source.take("*")) throw source.createExpectedError(`* after !${text}`);
    return { type: "without", ends: [{ type: "control-token", text }] };
  }

  #readToken(): string {
    const source = this.#source;
    if (source.next !== "<") throw source.createExpectedError("<");
    if (source.nextButOne === "[") {
      throw source.createUnsupportedError(
        "expected the text of a token, such as <think>; token ids are not supported",
      );
    }
    const token = source.takeMatch(TOKEN);
    if (token === undefined) throw source.createExpectedError("> at the end of a token");
    return token;
  }

  /** Reads all repetitions after an item. */
  #readRepetitions(item: GrammarNode): GrammarNode {
    let repeatedNode = item;
    let count = 0;
    for (;;) {
      const bounds = this.#readBounds();
      if (bounds === undefined) break;
      if (++count > MAX_NESTING)
        throw this.#source.createUnsupportedError("too many nested repetitions");
      repeatedNode = repeat(repeatedNode, bounds.min, bounds.max);
      this.#skipSpace();
    }
    return repeatedNode;
  }

  #readBounds(): { readonly min: number; readonly max?: number } | undefined {
    const source = this.#source;
    if (source.take("*")) return { min: 0 };
    if (source.take("+")) return { min: 1 };
    if (source.take("?")) return { min: 0, max: 1 };
    const start = source.position;
    if (!source.take("{")) return undefined;
    const min = this.#readNumber();
    if (min === undefined) throw source.createExpectedError("a number");
    let max: number | undefined = min;
    if (source.take(",")) {
      this.#skipSpace();
      max = this.#readNumber();
    }
    if (!source.take("}")) throw source.createExpectedError("a comma or }");
    if (min > MAX_REPETITIONS) {
      throw source.createUnsupportedError(
        `expected at most ${MAX_REPETITIONS} repetitions, got ${min}`,
        start,
      );
    }
    if (max === undefined || max > MAX_REPETITIONS) return { min };
    if (max < min) {
      throw source.createUnsupportedError(
        `expected a maximum of at least ${min}, got ${max}`,
        start,
      );
    }
    return { min, max };
  }

  #readNumber(): number | undefined {
    this.#skipSpace();
    const digits = this.#source.takeMatch(DIGITS);
    this.#skipSpace();
    return digits === undefined ? undefined : Number(digits);
  }

  #readName(): string | undefined {
    return this.#source.takeMatch(NAME);
  }

  #nest(): void {
    if (++this.#nesting > MAX_NESTING) {
      throw this.#source.createUnsupportedError(`expected at most ${MAX_NESTING} nested groups`);
    }
  }

  /** Skips white space; within groups, a sequence continues on the next line. */
  #skipSpace(): void {
    this.#source.skipSpace(this.#nesting > 0 ? "across-lines" : "within-line");
  }
}

/** All characters except U+0000, which ends a text in llama.cpp and matches nothing there. */
const ANY: CodePointSet = [[1, MAX_CODE_POINT]];
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["t", "\t"],
  ["r", "\r"],
  ["n", "\n"],
  ["\\", "\\"],
  ['"', '"'],
  ["[", "["],
  ["]", "]"],
  ["-", "-"],
]);
/** Hexadecimal digits after the letters of numeric escapes. */
const HEX_DIGITS: ReadonlyMap<string, RegExp> = new Map([
  ["x", /[\da-fA-F]{2}/y],
  ["u", /[\da-fA-F]{4}/y],
  ["U", /[\da-fA-F]{8}/y],
]);

/** `.` */
const ANY_CHARACTER: GrammarNode = character(...ANY);

/**
 * Reads a literal after its opening quote.
 * @throws {UnsupportedGrammar}
 */
function readLiteral(source: GrammarSource): GrammarNode {
  let literal = "";
  while (!source.take('"')) {
    const start = source.position;
    const codePoint = readCharacter(source, 'a character or "');
    if (isSurrogate(codePoint)) {
      throw source.createUnsupportedError(
        "expected a character, got half of a surrogate pair",
        start,
      );
    }
    literal += String.fromCodePoint(codePoint);
  }
  return text(literal);
}

/**
 * Reads a character class after its opening bracket.
 * @throws {UnsupportedGrammar}
 */
function readClass(source: GrammarSource): GrammarNode {
  const isNegated = source.take("^");
  if (source.next === "]") throw source.createExpectedError("a character of a class");
  const ranges: [number, number][] = [];
  while (!source.take("]")) {
    const start = source.position;
    const first = readCharacter(source, "a character or ]");
    let last = first;
    if (source.next === "-" && source.nextButOne !== "]") {
      source.take("-");
      last = readCharacter(source, "a character or ]");
    }
    if (last < first) {
      throw source.createUnsupportedError("expected a range in ascending order", start);
    }
    ranges.push([first, last]);
  }
  const set = codePointSet(ranges);
  return character(...(isNegated ? subtract(ANY, set) : set));
}

function readCharacter(source: GrammarSource, expected: string): number {
  const start = source.position;
  const codePoint = source.takeCodePoint();
  if (codePoint === undefined || codePoint === 0) throw source.createExpectedError(expected, start);
  return codePoint === BACKSLASH ? readEscape(source, start) : codePoint;
}

const BACKSLASH = 0x5c;

function readEscape(source: GrammarSource, start: number): number {
  const letter = source.next ?? "";
  const escaped = ESCAPES.get(letter);
  const hexDigits = HEX_DIGITS.get(letter);
  if (escaped === undefined && hexDigits === undefined) {
    throw source.createExpectedError('one of t r n \\ " [ ] - x u U after \\');
  }
  source.take(letter);
  if (hexDigits === undefined) return escaped?.codePointAt(0) ?? 0;
  const digits = source.takeMatch(hexDigits);
  if (digits === undefined) {
    throw source.createExpectedError(
      `${letter === "x" ? 2 : letter === "u" ? 4 : 8} hexadecimal digits`,
    );
  }
  const codePoint = Number.parseInt(digits, 16);
  if (codePoint > MAX_CODE_POINT) {
    throw source.createUnsupportedError(
      `expected a code point up to U+10FFFF, got \\${letter}${digits}`,
      start,
    );
  }
  return codePoint;
}
