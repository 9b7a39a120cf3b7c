import { RegexError } from "../errors.js";
import {
  buildChoice,
  buildSequence,
  character,
  type GrammarNode,
  NOTHING,
  repeat,
  rule,
  text,
} from "../grammar.js";
import {
  type CodePointSet,
  codePointSet,
  computeComplement,
  isSurrogate,
  MAX_CODE_POINT,
} from "../language/code-point-set.js";
import { CharacterBudget } from "../regex/character-parser.js";
import { parseRegex, type RegexNode } from "../regex/parse-regex.js";
import type { RegexFlag, RegexNotation } from "../regex/regex-notation.js";
import { addCaseVariants, findUnicodeProperty } from "../regex/unicode.js";
import type { GrammarSource } from "../rules/grammar-source.js";
import { literalName } from "./terminals.js";

/** Maximum number of ranges of a character set that is not moved into a shared rule. */
const MAX_INLINE_RANGES = 16;
/** Maximum number of ranges of such sets in a grammar; the letters of Unicode have 770. */
const MAX_RANGES = 20_000;

const ANY_CASE = /i(?![_A-Za-z0-9])/y;
const TWO_DOTS = /[ \t]*\.\.[ \t]*/y;
const BODY = /(?:\\[\s\S]|[^/\\])+\//y;
const FLAGS = /[A-Za-z]*/y;

/**
 * Reads the literals of a grammar. Literals other than plain text become rules, which equal
 * literals share.
 */
export class Literals {
  readonly rules = new Map<string, GrammarNode>();
  /** Position of the first occurrence of each expression, in UTF-16 units. */
  readonly places = new Map<string, number>();
  readonly #source: GrammarSource;
  readonly #budget = new CharacterBudget();
  /** Rule names by definition. */
  readonly #names = new Map<string, string>();
  #ranges = 0;

  constructor(source: GrammarSource) {
    this.#source = source;
  }

  /**
   * Reads `"text"`, `"text"i` or `"a".."z"`.
   * @throws {UnsupportedGrammar}
   */
  readText(): GrammarNode {
    const source = this.#source;
    const start = source.position;
    const first = readString(source);
    if (source.takeMatch(ANY_CASE) !== undefined) return this.#buildAnyCase(first, start);
    if (source.takeMatch(TWO_DOTS) === undefined) return text(first);
    if (source.next !== '"') throw source.createExpectedError('" at the end of a range');
    const last = readString(source);
    const [from, to] = [soleCodePoint(first), soleCodePoint(last)];
    if (from === undefined || to === undefined || from > to) {
      throw source.createUnsupportedError(
        "expected a range of characters in ascending order",
        start,
      );
    }
    return character([from, to]);
  }

  /**
   * Reads `/expression/flags`.
   * @throws {UnsupportedGrammar}
   */
  readExpression(): GrammarNode {
    const source = this.#source;
    const start = source.position;
    source.take("/");
    const body = source.takeMatch(BODY)?.slice(0, -1);
    if (body === undefined)
      throw source.createUnsupportedError("expected an expression that ends with /", start);
    const place = source.position;
    const flags = [...(source.takeMatch(FLAGS) ?? "")];
    if (!flags.every((flag) => "imsux".includes(flag))) {
      throw source.createUnsupportedError("expected flags of i, m, s, u and x", place);
    }
    const effectiveFlags = EFFECTIVE_FLAGS.filter((flag) => flags.includes(flag));
    const key = `${effectiveFlags.join("")}/${body}`;
    return this.#share("expression", key, start, () =>
      this.#parseBody(body, effectiveFlags, start + 1),
    );
  }

  /** Builds the expression of an imported terminal, which is not part of the grammar's text. */
  buildExpression(expression: string): GrammarNode {
    return this.#parseBody(expression, [], 0);
  }

  #buildAnyCase(word: string, start: number): GrammarNode {
    const sets = [...word].map((one) => {
      const codePoint = one.codePointAt(0) ?? 0;
      return addCaseVariants([[codePoint, codePoint]]);
    });
    const node = this.#joinParts(sets.map((set) => this.#characters(set, start)));
    if (node.type !== "sequence") return node;
    return this.#share("expression", `"${word}`, start, () => node);
  }

  #parseBody(body: string, flags: readonly RegexFlag[], start: number): GrammarNode {
    const reading = {
      notation: EXPRESSION_NOTATION,
      flags: new Set(flags),
      budget: this.#budget,
    };
    let regex: RegexNode;
    try {
      regex = parseRegex(body, reading);
    } catch (error) {
      if (!(error instanceof RegexError)) throw error;
      const before = [...body].slice(0, error.position).join("");
      throw this.#source.createUnsupportedError(error.reason, start + before.length);
    }
    return this.#nodeOf(regex, start);
  }

  /** Builds an expression; the notation refuses assertions, so it contains none. */
  #nodeOf(regex: RegexNode, start: number): GrammarNode {
    switch (regex.type) {
      case "characters":
        return this.#characters(regex.set, start);
      case "sequence":
        return this.#joinParts(regex.parts.map((part) => this.#nodeOf(part, start)));
      case "alternatives":
        return buildChoice(regex.options.map((option) => this.#nodeOf(option, start)));
      case "repeat": {
        const max = Number.isFinite(regex.max) ? regex.max : undefined;
        return repeat(this.#nodeOf(regex.of, start), regex.min, max);
      }
      default:
        return NOTHING;
    }
  }

  #characters(set: CodePointSet, start: number): GrammarNode {
    const [[first, last] = [0, 1]] = set;
    if (set.length === 1 && first === last && !isSurrogate(first)) {
      return text(String.fromCodePoint(first));
    }
    if (set.length <= MAX_INLINE_RANGES) return character(...set);
    return this.#share("set", set.join(), start, () => {
      this.#ranges += set.length;
      if (this.#ranges > MAX_RANGES) {
        throw this.#source.createUnsupportedError("expected fewer large character classes", start);
      }
      return { type: "character", ranges: set, encoding: "plain" };
    });
  }

  /** Joins parts in sequence, merging adjacent characters into one text. */
  #joinParts(parts: readonly GrammarNode[]): GrammarNode {
    const joined: GrammarNode[] = [];
    let word = "";
    const endWord = () => {
      if (word !== "") joined.push(text(word));
      word = "";
    };
    for (const part of parts) {
      if (part.type === "words" && part.words.length === 1) word += part.words[0];
      else {
        endWord();
        joined.push(part);
      }
    }
    endWord();
    return buildSequence(joined);
  }

  #share(
    kind: "expression" | "set",
    key: string,
    start: number,
    buildNode: () => GrammarNode,
  ): GrammarNode {
    const fullKey = `${kind} ${key}`;
    let name = this.#names.get(fullKey);
    if (name === undefined) {
      const node = buildNode();
      name = literalName(kind, this.#names.size);
      this.#names.set(fullKey, name);
      this.rules.set(name, node);
      this.places.set(name, start);
    }
    return rule(name);
  }
}

/** Flags with an effect: `m` concerns anchors only, and `u` is always on. */
const EFFECTIVE_FLAGS: readonly RegexFlag[] = ["i", "s", "x"];

function soleCodePoint(word: string): number | undefined {
  const [one, ...others] = word;
  return others.length === 0 ? one?.codePointAt(0) : undefined;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
/** Hexadecimal digits after the letters of numeric escapes. */
const HEX_DIGITS: ReadonlyMap<string, { readonly count: number; readonly pattern: RegExp }> =
  new Map([
    ["x", { count: 2, pattern: /[\da-fA-F]{2}/y }],
    ["u", { count: 4, pattern: /[\da-fA-F]{4}/y }],
    ["U", { count: 8, pattern: /[\da-fA-F]{8}/y }],
  ]);
const PLAIN = /[^"\\\r\n]+/y;

/**
 * Reads a text between quotes.
 * @throws {UnsupportedGrammar}
 */
function readString(source: GrammarSource): string {
  const start = source.position;
  source.take('"');
  let string = "";
  while (!source.take('"')) {
    const plain = source.takeMatch(PLAIN);
    if (plain !== undefined) string += plain;
    else if (source.take("\\")) string += readEscape(source);
    else throw source.createExpectedError('a character or "');
  }
  if (/\p{Surrogate}/u.test(string)) {
    throw source.createUnsupportedError("expected characters, got half of a surrogate pair", start);
  }
  return string;
}

function readEscape(source: GrammarSource): string {
  const letter = source.next ?? "";
  const escaped = ESCAPES.get(letter);
  const hexadecimal = HEX_DIGITS.get(letter);
  if (escaped === undefined && hexadecimal === undefined) {
    throw source.createExpectedError("one of \" ' \\ / b f n r t v x u U after \\");
  }
  source.take(letter);
  if (hexadecimal === undefined) return escaped ?? "";
  const { count, pattern } = hexadecimal;
  const start = source.position;
  const codePoint = Number.parseInt(source.takeMatch(pattern) ?? "", 16);
  if (Number.isNaN(codePoint)) throw source.createExpectedError(`${count} hexadecimal digits`);
  if (codePoint > MAX_CODE_POINT) {
    throw source.createUnsupportedError("expected a code point up to U+10FFFF", start);
  }
  return String.fromCodePoint(codePoint);
}

const LINE_FEED = 0x0a;

/**
 * Syntax common to Rust's `regex` and Python's `re`. Refuses syntax that the two read differently,
 * assertions, which have no meaning in a terminal that may occur anywhere, and lazy quantifiers,
 * which require a lexer.
 */
const EXPRESSION_NOTATION: RegexNotation = {
  dot: computeComplement([[LINE_FEED, LINE_FEED]]),
  classEscape,
  refusedFeatures: new Set([
    "an anchor",
    "a look-ahead",
    "a lazy quantifier",
    "an empty class",
    "a [ in a class",
    "a set operation in a class",
    "a { that does not start a count",
  ]),
};

/** Unicode classes (UTS 18, annex C), by letter. */
const CLASSES: ReadonlyMap<string, readonly string[]> = new Map([
  ["d", ["Nd"]],
  ["w", ["Alphabetic", "M", "Nd", "Pc", "Join_Control"]],
  ["s", ["White_Space"]],
]);

const knownClasses = new Map<string, CodePointSet>();

function classEscape(letter: string): CodePointSet | undefined {
  const properties = CLASSES.get(letter.toLowerCase());
  if (properties === undefined) return undefined;
  let set = knownClasses.get(letter);
  if (set === undefined) {
    set = codePointSet(properties.flatMap((name) => findUnicodeProperty(name) ?? []));
    if (!CLASSES.has(letter)) set = computeComplement(set);
    knownClasses.set(letter, set);
  }
  return set;
}
