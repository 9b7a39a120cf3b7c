import type { CodePointRange } from "../grammar.js";
import {
  type CodePointSet,
  codePointSet,
  computeComplement,
  MAX_CODE_POINT,
} from "../language/code-point-set.js";
import type { RegexFeature, RegexFlag, RegexNotation } from "./regex-notation.js";
import type { RegexSource } from "./regex-source.js";
import { addCaseVariants, findUnicodeProperty } from "./unicode.js";

const CONTROL_ESCAPES: ReadonlyMap<string, number> = new Map([
  ["t", 0x09],
  ["n", 0x0a],
  ["v", 0x0b],
  ["f", 0x0c],
  ["r", 0x0d],
  ["0", 0x00],
]);

const HYPHEN = 0x2d;
/** Upper bound of the number of characters with case variants. */
const MAX_CASED = 4_000;

/** Dependencies of reading characters. */
export interface CharacterContext {
  readonly source: RegexSource;
  readonly notation: RegexNotation;
  readonly budget: CharacterBudget;
}

type Flags = ReadonlySet<RegexFlag>;

/** Reads characters, escapes and classes of a regular expression as sets. */
export class CharacterParser {
  readonly #source: RegexSource;
  readonly #notation: RegexNotation;
  readonly #budget: CharacterBudget;

  constructor({ source, notation, budget }: CharacterContext) {
    this.#source = source;
    this.#notation = notation;
    this.#budget = budget;
  }

  /** Reads a literal character. */
  readLiteral(character: string, flags: Flags): CodePointSet {
    return this.#applyCase(single(character.codePointAt(0) ?? 0), flags);
  }

  /**
   * Reads an escape after its backslash, inside or outside of a class.
   * @throws {RegexError}
   */
  readEscape(flags: Flags): CodePointSet {
    const set = this.#readEscapedSet();
    this.#spend(set.length);
    return this.#applyCase(set, flags);
  }

  /**
   * Reads a class after its opening bracket.
   * @throws {RegexError}
   */
  readClass(flags: Flags): CodePointSet {
    const source = this.#source;
    const isNegated = source.take("^");
    if (source.next === "]") this.#refuse("an empty class");
    const ranges: CodePointRange[] = [];
    while (!source.take("]")) {
      for (const part of this.#readClassPart(flags)) {
        const set = this.#applyCase(part, flags);
        this.#spend(set.length);
        for (const range of set) ranges.push(range);
      }
    }
    const set = codePointSet(ranges);
    return isNegated ? computeComplement(set) : set;
  }

  /** Reads a character, an escape or a range of a class. */
  #readClassPart(flags: Flags): readonly CodePointSet[] {
    const source = this.#source;
    const low = this.#readClassAtom(flags);
    const afterHyphen = source.peek(1);
    if (source.next !== "-" || afterHyphen === "]" || afterHyphen === undefined) return [low];
    source.takeAny();
    if (source.next === "-") this.#refuse("a set operation in a class");
    const high = this.#readClassAtom(flags);
    const [first, last] = [soleOf(low), soleOf(high)];
    if (first === undefined || last === undefined) return [low, single(HYPHEN), high];
    if (first > last) throw source.createExpectedError("a range in ascending order");
    return [[[first, last]]];
  }

  /** Adds case variants to a set if the flags require it. */
  #applyCase(set: CodePointSet, flags: Flags): CodePointSet {
    if (!flags.has("i")) return set;
    const size = set.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    this.#spend(Math.min(size, MAX_CASED));
    return addCaseVariants(set);
  }

  #spend(work: number): void {
    if (!this.#budget.spend(work)) {
      throw this.#source.createError("expected fewer large character classes");
    }
  }

  #refuse(feature: RegexFeature): void {
    if (this.#notation.refusedFeatures.has(feature))
      throw this.#source.createUnsupportedError(feature);
  }

  #readClassAtom(flags: Flags): CodePointSet {
    const source = this.#source;
    const { next } = source;
    if (next === undefined) throw source.createExpectedError("]");
    if (next === "[") this.#refuse("a [ in a class");
    // Notations differ in whether they skip white space here.
    if (flags.has("x") && /\s/.test(next)) {
      throw source.createUnsupportedError("white space in a class with the flag x");
    }
    if ((next === "&" || next === "~") && source.peek(1) === next) {
      this.#refuse("a set operation in a class");
    }
    source.takeAny();
    if (next !== "\\") return single(next.codePointAt(0) ?? 0);
    if (source.take("b")) return single(0x08);
    return this.#readEscapedSet();
  }

  #readEscapedSet(): CodePointSet {
    const source = this.#source;
    const character = source.takeAny();
    const set = this.#notation.classEscape(character);
    if (set !== undefined) return set;
    if (character === "0" && /^\d$/.test(source.next ?? ""))
      throw source.createExpectedError("no digit after \\0");
    const control = CONTROL_ESCAPES.get(character);
    if (control !== undefined) return single(control);
    if (!this.#notation.refusedFeatures.has("a long escape")) {
      if (character === "U")
        return this.#readCodePoint(/^([\da-fA-F]{8})/, "a code point after \\U");
      if (character === "x" && source.next === "{") {
        return this.#readCodePoint(BRACED, "a code point after \\x");
      }
    }
    switch (character) {
      case "p":
      case "P":
        return this.#readProperty(character);
      case "x":
        return this.#readCodePoint(/^([\da-fA-F]{2})/, "two hexadecimal digits after \\x");
      case "u":
        return this.#readUnicodeEscape();
      case "c": {
        const [letter] = source.match(/^[A-Za-z]/) ?? [];
        if (letter === undefined) throw source.createExpectedError("a letter after \\c");
        return single((letter.codePointAt(0) ?? 0) % 32);
      }
      default:
        if (/^[A-Za-z\d]$/.test(character))
          throw source.createUnsupportedError(`the escape \\${character}`);
        return single(character.codePointAt(0) ?? 0);
    }
  }

  #readProperty(kind: "p" | "P"): CodePointSet {
    const source = this.#source;
    const [, name = ""] = source.match(/^\{([^}]*)\}/) ?? source.match(/^([A-Z])/) ?? [];
    const { maxProperties } = this.#budget;
    if (!this.#budget.takeProperty()) {
      throw source.createExpectedError(`at most ${maxProperties} Unicode properties`);
    }
    const set = findUnicodeProperty(name);
    if (set === undefined) throw source.createExpectedError("a Unicode property after \\p");
    return kind === "p" ? set : computeComplement(set);
  }

  #readUnicodeEscape(): CodePointSet {
    const source = this.#source;
    if (source.next === "{") return this.#readCodePoint(BRACED, "a code point after \\u");
    const [[first] = [0]] = this.#readCodePoint(
      /^([\da-fA-F]{4})/,
      "four hexadecimal digits after \\u",
    );
    const low =
      first >= 0xd800 && first < 0xdc00
        ? source.match(/^\\u([dD][c-fC-F][\da-fA-F]{2})/)
        : undefined;
    if (low === undefined) return single(first);
    return single(
      0x1_0000 + ((first - 0xd800) << 10) + (Number.parseInt(low[1] ?? "", 16) - 0xdc00),
    );
  }

  #readCodePoint(pattern: RegExp, expected: string): CodePointSet {
    const [, digits] = this.#source.match(pattern) ?? [];
    const value = Number.parseInt(digits ?? "", 16);
    if (!(value <= MAX_CODE_POINT)) throw this.#source.createExpectedError(expected);
    return single(value);
  }
}

/** Code point in braces. */
const BRACED = /^\{([\da-fA-F]{1,6})\}/;

function single(codePoint: number): CodePointSet {
  return [[codePoint, codePoint]];
}

function soleOf(set: CodePointSet): number | undefined {
  const [range] = set;
  return set.length === 1 && range?.[0] === range?.[1] ? range?.[0] : undefined;
}

/** Maximum number of Unicode properties; each requires a walk over all characters. */
const MAX_PROPERTIES = 20;
/**
 * Maximum work, in ranges of classes and characters searched for case variants: some hundreds of
 * milliseconds.
 */
const MAX_WORK = 1_000_000;

/** Budget for the characters of one expression, or of several that are parsed together. */
export class CharacterBudget {
  readonly maxProperties = MAX_PROPERTIES;
  #properties = 0;
  #work = 0;

  /** Counts a Unicode property; returns whether it is within the limit. */
  takeProperty(): boolean {
    return ++this.#properties <= MAX_PROPERTIES;
  }

  /** Spends work; returns whether it is within the limit. */
  spend(work: number): boolean {
    this.#work += work;
    return this.#work <= MAX_WORK;
  }
}
