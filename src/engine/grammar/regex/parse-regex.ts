import {
  type CodePointSet,
  codePointSet,
  complementOf,
  MAX_CODE_POINT,
} from "../language/code-point-set.js";
import { CLASS_ESCAPES, NOT_LINE_END, unicodeProperty } from "./character-classes.js";
import { longestSequence, type RegexNode } from "./regex-node.js";

/** A text is no regular expression that is supported. */
export class RegexError extends Error {
  override readonly name = "RegexError";
}

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 100;
/** Expressions are derived recursively, as deep as their sequences are long. */
const MAX_SEQUENCE = 500;
const MAX_REPETITIONS = 100_000;
/** Unicode properties in one expression: each takes a walk over all characters. */
const MAX_PROPERTIES = 20;
const CONTROL_ESCAPES: ReadonlyMap<string, number> = new Map([
  ["t", 0x09],
  ["n", 0x0a],
  ["v", 0x0b],
  ["f", 0x0c],
  ["r", 0x0d],
  ["0", 0x00],
]);

/**
 * Parses a regular expression in the syntax of ECMA-262, read by code points. Groups only group; lazy
 * quantifiers match the same texts as greedy ones. Back references, look-behinds and word boundaries are
 * refused: they are not regular, or not worth their cost.
 * @throws {RegexError}
 */
export function parseRegex(source: string): RegexNode {
  if (source.length > MAX_LENGTH) {
    throw new RegexError(`expected at most ${MAX_LENGTH} characters, got ${source.length}`);
  }
  return new Parser(source).parse();
}

class Parser {
  readonly #characters: readonly string[];
  #position = 0;
  #depth = 0;
  #properties = 0;

  constructor(source: string) {
    this.#characters = [...source];
  }

  parse(): RegexNode {
    const node = this.#alternatives();
    if (this.#next !== undefined) throw this.#expected("( before )");
    if (longestSequence(node) > MAX_SEQUENCE) {
      throw new RegexError(`expected at most ${MAX_SEQUENCE} parts in a sequence`);
    }
    return node;
  }

  #alternatives(): RegexNode {
    if (++this.#depth > MAX_DEPTH) throw this.#expected(`at most ${MAX_DEPTH} nested groups`);
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    this.#depth--;
    return options.length === 1 && options[0] !== undefined
      ? options[0]
      : { type: "alternatives", options };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (this.#next !== undefined && this.#next !== "|" && this.#next !== ")") {
      parts.push(this.#quantified());
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "sequence", parts };
  }

  #quantified(): RegexNode {
    const of = this.#atom();
    const bounds = this.#quantifier();
    if (bounds === undefined) return of;
    this.#take("?");
    if (this.#next === "+") throw this.#unsupported("a possessive quantifier");
    return { type: "repeat", of, ...bounds };
  }

  #quantifier(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take("?")) return { min: 0, max: 1 };
    const [, low, hasMax, high] = (this.#next === "{" && this.#match(BRACES)) || [];
    if (low === undefined) return undefined;
    const min = Number(low);
    const max = hasMax === undefined ? min : high === "" ? Number.POSITIVE_INFINITY : Number(high);
    if (max < min) throw this.#expected("a quantifier with ascending bounds");
    if (min > MAX_REPETITIONS || (Number.isFinite(max) && max > MAX_REPETITIONS)) {
      throw this.#expected(`at most ${MAX_REPETITIONS} repetitions`);
    }
    return { min, max };
  }

  #atom(): RegexNode {
    if (this.#next === "{" && this.#match(BRACES) !== undefined)
      throw this.#expected("something to repeat");
    const character = this.#takeAny();
    switch (character) {
      case "^":
        return { type: "start" };
      case "$":
        return { type: "end" };
      case ".":
        return { type: "characters", set: NOT_LINE_END };
      case "(":
        return this.#group();
      case "[":
        return { type: "characters", set: this.#class() };
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw this.#expected(`something to repeat before ${character}`);
      default:
        return literal(character);
    }
  }

  #group(): RegexNode {
    const kind = this.#match(/^\?(?::|=|!|<=|<!|<[A-Za-z_$][\w$]*>|P<\w+>)/)?.[0] ?? "";
    if (kind === "" && this.#next === "?") throw this.#unsupported("an unknown kind of group");
    if (kind === "?<=" || kind === "?<!") throw this.#unsupported("a look-behind");
    const of = this.#alternatives();
    if (!this.#take(")")) throw this.#expected(")");
    if (kind === "?=") return { type: "lookahead", of, polarity: "positive" };
    if (kind === "?!") return { type: "lookahead", of, polarity: "negative" };
    return of;
  }

  #escape(): RegexNode {
    if (this.#next === "b" || this.#next === "B") throw this.#unsupported("a word boundary");
    if (this.#take("A")) return { type: "start" };
    if (this.#take("Z") || this.#take("z")) return { type: "end" };
    if (/^[1-9]$/.test(this.#next ?? "")) throw this.#unsupported("a back reference");
    if (this.#next === "k") throw this.#unsupported("a back reference");
    return { type: "characters", set: this.#escapedSet() };
  }

  /** What stands behind a backslash, inside and outside of classes. */
  #escapedSet(): CodePointSet {
    const character = this.#takeAny();
    const set = CLASS_ESCAPES.get(character);
    if (set !== undefined) return set;
    if (character === "0" && /^\d$/.test(this.#next ?? ""))
      throw this.#expected("no digit behind \\0");
    const control = CONTROL_ESCAPES.get(character);
    if (control !== undefined) return single(control);
    switch (character) {
      case "p":
      case "P":
        return this.#property(character);
      case "x":
        return this.#codePoint(/^([\da-fA-F]{2})/, "two hexadecimal digits behind \\x");
      case "u":
        return this.#unicode();
      case "c": {
        const [letter] = this.#match(/^[A-Za-z]/) ?? [];
        if (letter === undefined) throw this.#expected("a letter behind \\c");
        return single((letter.codePointAt(0) ?? 0) % 32);
      }
      default:
        if (/^[A-Za-z\d]$/.test(character)) throw this.#unsupported(`the escape \\${character}`);
        return single(character.codePointAt(0) ?? 0);
    }
  }

  #property(kind: "p" | "P"): CodePointSet {
    const [, name = ""] = this.#match(/^\{([^}]*)\}/) ?? this.#match(/^([A-Z])/) ?? [];
    if (++this.#properties > MAX_PROPERTIES) {
      throw this.#expected(`at most ${MAX_PROPERTIES} Unicode properties`);
    }
    const set = unicodeProperty(name);
    if (set === undefined) throw this.#expected("a Unicode property behind \\p");
    return kind === "p" ? set : complementOf(set);
  }

  #unicode(): CodePointSet {
    if (this.#next === "{")
      return this.#codePoint(/^\{([\da-fA-F]{1,6})\}/, "a code point behind \\u");
    const [[first] = [0]] = this.#codePoint(
      /^([\da-fA-F]{4})/,
      "four hexadecimal digits behind \\u",
    );
    const low =
      first >= 0xd800 && first < 0xdc00
        ? this.#match(/^\\u([dD][c-fC-F][\da-fA-F]{2})/)
        : undefined;
    if (low === undefined) return single(first);
    return single(
      0x1_0000 + ((first - 0xd800) << 10) + (Number.parseInt(low[1] ?? "", 16) - 0xdc00),
    );
  }

  #codePoint(pattern: RegExp, expected: string): CodePointSet {
    const [, digits] = this.#match(pattern) ?? [];
    const value = Number.parseInt(digits ?? "", 16);
    if (!(value <= MAX_CODE_POINT)) throw this.#expected(expected);
    return single(value);
  }

  #class(): CodePointSet {
    const isNegated = this.#take("^");
    const ranges: [number, number][] = [];
    while (!this.#take("]")) {
      const low = this.#classAtom();
      if (this.#next === "-" && this.#ahead(1) !== "]" && this.#ahead(1) !== undefined) {
        this.#position++;
        const high = this.#classAtom();
        const [first, last] = [soleOf(low), soleOf(high)];
        if (first === undefined || last === undefined) {
          ranges.push(...copy(low), [0x2d, 0x2d], ...copy(high));
        } else if (first > last) throw this.#expected("a range with ascending ends");
        else ranges.push([first, last]);
      } else ranges.push(...copy(low));
    }
    const set = codePointSet(ranges);
    return isNegated ? complementOf(set) : set;
  }

  #classAtom(): CodePointSet {
    if (this.#next === undefined) throw this.#expected("]");
    const character = this.#takeAny();
    if (character !== "\\") return single(character.codePointAt(0) ?? 0);
    if (this.#take("b")) return single(0x08);
    return this.#escapedSet();
  }

  get #next(): string | undefined {
    return this.#characters[this.#position];
  }

  #ahead(count: number): string | undefined {
    return this.#characters[this.#position + count];
  }

  #take(character: string): boolean {
    if (this.#next !== character) return false;
    this.#position++;
    return true;
  }

  #takeAny(): string {
    const character = this.#next;
    if (character === undefined) throw this.#expected("a character");
    this.#position++;
    return character;
  }

  /** Takes what an anchored expression matches in the next characters. */
  #match(pattern: RegExp): RegExpExecArray | undefined {
    const ahead = this.#characters.slice(this.#position, this.#position + LONGEST_SYNTAX).join("");
    const match = pattern.exec(ahead) ?? undefined;
    if (match !== undefined) this.#position += [...match[0]].length;
    return match;
  }

  #expected(what: string): RegexError {
    const got = this.#next === undefined ? "the end" : JSON.stringify(this.#next);
    return new RegexError(`character ${this.#position + 1}: expected ${what}, got ${got}`);
  }

  #unsupported(what: string): RegexError {
    return new RegexError(`character ${this.#position + 1}: ${what} is not supported`);
  }
}

/** A quantifier with a count. */
const BRACES = /^\{(\d+)(,(\d*))?\}/;
/** Longest piece of syntax that is matched as a whole: a Unicode property. */
const LONGEST_SYNTAX = 100;

function literal(character: string): RegexNode {
  return { type: "characters", set: single(character.codePointAt(0) ?? 0) };
}

function single(codePoint: number): CodePointSet {
  return [[codePoint, codePoint]];
}

function soleOf(set: CodePointSet): number | undefined {
  const [range] = set;
  return set.length === 1 && range?.[0] === range?.[1] ? range?.[0] : undefined;
}

function copy(set: CodePointSet): [number, number][] {
  return set.map(([first, last]): [number, number] => [first, last]);
}
