import { RegexError } from "../errors.js";
import { ALL_CODE_POINTS, type CodePointSet } from "../language/code-point-set.js";
import { CharacterBudget, CharacterParser } from "./character-parser.js";
import {
  ECMA_262,
  type RegexFeature,
  type RegexFlag,
  type RegexNotation,
} from "./regex-notation.js";
import { RegexSource } from "./regex-source.js";

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 100;
/** Maximum length of a sequence, as derivatives of expressions recurse to that depth. */
const MAX_SEQUENCE = 500;
const MAX_REPETITIONS = 100_000;

/** Parsed regular expression. */
export type RegexNode =
  | { readonly type: "characters"; readonly set: CodePointSet }
  | { readonly type: "sequence"; readonly parts: readonly RegexNode[] }
  | { readonly type: "alternatives"; readonly options: readonly RegexNode[] }
  /** `max` may be infinite. */
  | {
      readonly type: "repeat";
      readonly of: RegexNode;
      readonly min: number;
      readonly max: number;
    }
  | { readonly type: "start" }
  | { readonly type: "end" }
  | {
      readonly type: "lookahead";
      readonly of: RegexNode;
      readonly polarity: "positive" | "negative";
    };

/** Options for parsing an expression. */
export interface RegexParseOptions {
  readonly notation: RegexNotation;
  /** Flags of the whole expression. */
  readonly flags: ReadonlySet<RegexFlag>;
  readonly budget: CharacterBudget;
}

/**
 * Parses a regular expression by code points, in the syntax of ECMA-262 unless `reading` specifies
 * another one. All groups are treated as non-capturing; lazy quantifiers match the same texts as
 * greedy ones. Back references, look-behinds and word boundaries are refused, being not regular or
 * too costly.
 * @throws {RegexError}
 */
export function parseRegex(text: string, reading?: RegexParseOptions): RegexNode {
  if (text.length > MAX_LENGTH) {
    throw new RegexError(`expected at most ${MAX_LENGTH} characters, got ${text.length}`);
  }
  const ecma = { notation: ECMA_262, flags: new Set<RegexFlag>() };
  return new Parser(text, reading ?? { ...ecma, budget: new CharacterBudget() }).parse();
}

class Parser {
  readonly #source: RegexSource;
  readonly #notation: RegexNotation;
  readonly #characters: CharacterParser;
  #flags: ReadonlySet<RegexFlag>;
  #depth = 0;

  constructor(text: string, { notation, flags, budget }: RegexParseOptions) {
    this.#source = new RegexSource(text);
    this.#notation = notation;
    this.#characters = new CharacterParser({ source: this.#source, notation, budget });
    this.#flags = flags;
  }

  parse(): RegexNode {
    const node = this.#readAlternatives();
    if (this.#source.next !== undefined) throw this.#source.createExpectedError("( before )");
    if (measureLongestSequence(node) > MAX_SEQUENCE) {
      throw new RegexError(`expected at most ${MAX_SEQUENCE} parts in a sequence`);
    }
    return node;
  }

  #readAlternatives(): RegexNode {
    if (++this.#depth > MAX_DEPTH) {
      throw this.#source.createExpectedError(`at most ${MAX_DEPTH} nested groups`);
    }
    const options = [this.#readSequence()];
    while (this.#source.take("|")) options.push(this.#readSequence());
    this.#depth--;
    return options.length === 1 && options[0] !== undefined
      ? options[0]
      : { type: "alternatives", options };
  }

  #readSequence(): RegexNode {
    const source = this.#source;
    const parts: RegexNode[] = [];
    for (;;) {
      this.#skipSpace();
      const { next } = source;
      if (next === undefined || next === "|" || next === ")") break;
      parts.push(this.#readQuantified());
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "sequence", parts };
  }

  #readQuantified(): RegexNode {
    const of = this.#readAtom();
    this.#skipSpace();
    const bounds = this.#readQuantifier();
    if (bounds === undefined) return of;
    if (this.#source.next === "?") this.#refuse("a lazy quantifier");
    this.#source.take("?");
    if (this.#source.next === "+")
      throw this.#source.createUnsupportedError("a possessive quantifier");
    return { type: "repeat", of, ...bounds };
  }

  #readQuantifier(): { readonly min: number; readonly max: number } | undefined {
    const source = this.#source;
    if (source.take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (source.take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (source.take("?")) return { min: 0, max: 1 };
    const [, low, hasMax, high] = (source.next === "{" && source.match(BRACES)) || [];
    if (low === undefined) return undefined;
    const min = Number(low);
    const max = hasMax === undefined ? min : high === "" ? Number.POSITIVE_INFINITY : Number(high);
    if (max < min) throw source.createExpectedError("a quantifier with ascending bounds");
    if (min > MAX_REPETITIONS || (Number.isFinite(max) && max > MAX_REPETITIONS)) {
      throw source.createExpectedError(`at most ${MAX_REPETITIONS} repetitions`);
    }
    return { min, max };
  }

  #readAtom(): RegexNode {
    const source = this.#source;
    if (source.next === "{" && source.match(BRACES) !== undefined)
      throw source.createExpectedError("something to repeat");
    if (source.next === "{") this.#refuse("a { that does not start a count");
    if (source.next === "^" || source.next === "$") this.#refuse("an anchor");
    const character = source.takeAny();
    switch (character) {
      case "^":
        return { type: "start" };
      case "$":
        return { type: "end" };
      case ".": {
        const set = this.#flags.has("s") ? ALL_CODE_POINTS : this.#notation.dot;
        return { type: "characters", set };
      }
      case "(":
        return this.#readGroup();
      case "[":
        return { type: "characters", set: this.#characters.readClass(this.#flags) };
      case "\\":
        return this.#readEscape();
      case "*":
      case "+":
      case "?":
        throw source.createExpectedError(`something to repeat before ${character}`);
      default:
        return { type: "characters", set: this.#characters.readLiteral(character, this.#flags) };
    }
  }

  #readGroup(): RegexNode {
    const source = this.#source;
    if (!this.#notation.refusedFeatures.has("a group with flags")) {
      const [, on, off = "", end = ""] = source.match(GROUP_FLAGS) ?? [];
      if (on !== undefined) return this.#readGroupWithFlags(on, off, end);
    }
    const kind = source.match(GROUP_KIND)?.[0] ?? "";
    if (kind === "" && source.next === "?")
      throw source.createUnsupportedError("an unknown kind of group");
    if (kind === "?<=" || kind === "?<!") throw source.createUnsupportedError("a look-behind");
    if (kind === "?=" || kind === "?!") this.#refuse("a look-ahead");
    const of = this.#readGroupEnd();
    if (kind === "?=") return { type: "lookahead", of, polarity: "positive" };
    if (kind === "?!") return { type: "lookahead", of, polarity: "negative" };
    return of;
  }

  /** Reads a group with flags, or flags for the rest of the enclosing group. */
  #readGroupWithFlags(on: string, off: string, end: string): RegexNode {
    const before = this.#flags;
    const flags = new Set([...before, ...parseFlags(on)]);
    for (const flag of parseFlags(off)) flags.delete(flag);
    this.#flags = flags;
    if (end === ")") return { type: "sequence", parts: [] };
    const of = this.#readGroupEnd();
    this.#flags = before;
    return of;
  }

  #readGroupEnd(): RegexNode {
    const before = this.#flags;
    const of = this.#readAlternatives();
    if (!this.#source.take(")")) throw this.#source.createExpectedError(")");
    this.#flags = before;
    return of;
  }

  #readEscape(): RegexNode {
    const source = this.#source;
    const { next } = source;
    if (next === "b" || next === "B") throw source.createUnsupportedError("a word boundary");
    if (next === "A" || next === "Z" || next === "z") this.#refuse("an anchor");
    if (source.take("A")) return { type: "start" };
    if (source.take("Z") || source.take("z")) return { type: "end" };
    if (/^[1-9]$/.test(next ?? "")) throw source.createUnsupportedError("a back reference");
    if (next === "k") throw source.createUnsupportedError("a back reference");
    return { type: "characters", set: this.#characters.readEscape(this.#flags) };
  }

  #refuse(feature: RegexFeature): void {
    if (this.#notation.refusedFeatures.has(feature))
      throw this.#source.createUnsupportedError(feature);
  }

  #skipSpace(): void {
    if (!this.#flags.has("x")) return;
    const source = this.#source;
    while (source.next !== undefined && /[\s#]/.test(source.next)) {
      if (source.takeAny() !== "#") continue;
      while (source.next !== undefined && source.next !== "\n") source.takeAny();
    }
  }
}

/** Quantifier with a count. */
const BRACES = /^\{(\d+)(,(\d*))?\}/;
const GROUP_KIND = /^\?(?::|=|!|<=|<!|<[A-Za-z_$][\w$]*>|P<\w+>)/;
const GROUP_FLAGS = /^\?(?=[imsux-])([imsux]*)(?:-([imsx]+))?([:)])/;

/**
 * Returns the flags with an effect: `m` concerns anchors, which notations with flags refuse, and
 * `u` is always on.
 */
function parseFlags(letters: string): readonly RegexFlag[] {
  return FLAGS.filter((flag) => letters.includes(flag));
}

const FLAGS: readonly RegexFlag[] = ["i", "s", "x"];

/** Whether a node or one of its parts has a type. */
export function contains(node: RegexNode, type: RegexNode["type"]): boolean {
  if (node.type === type) return true;
  switch (node.type) {
    case "sequence":
      return node.parts.some((part) => contains(part, type));
    case "alternatives":
      return node.options.some((option) => contains(option, type));
    case "repeat":
    case "lookahead":
      return contains(node.of, type);
    default:
      return false;
  }
}

/**
 * Returns the maximum number of consecutive characters, classes and assertions. A repetition counts
 * once, or once per copy if it contains an assertion.
 */
function measureLongestSequence(node: RegexNode): number {
  switch (node.type) {
    case "sequence":
      return node.parts.reduce((sum, part) => sum + measureLongestSequence(part), 0);
    case "alternatives":
      return node.options.reduce(
        (longest, option) => Math.max(longest, measureLongestSequence(option)),
        0,
      );
    case "repeat":
      return measureLongestSequence(node.of) * (hasAssertion(node.of) ? countCopies(node) : 1);
    case "lookahead":
      return measureLongestSequence(node.of) + 1;
    default:
      return 1;
  }
}

function hasAssertion(node: RegexNode): boolean {
  return contains(node, "start") || contains(node, "end") || contains(node, "lookahead");
}

function countCopies({ min, max }: Extract<RegexNode, { type: "repeat" }>): number {
  return Number.isFinite(max) ? max : min + 1;
}
