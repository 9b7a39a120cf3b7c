import {
  character,
  choice,
  complement,
  EMPTY,
  type GrammarNode,
  jsonCharacter,
  lexeme,
  optional,
  repeat,
  rule,
  sequence,
  text,
  words,
} from "./grammar.js";
import { ALL_CODE_POINTS } from "./language/code-point-set.js";

/** Maximum indentation of pretty-printed JSON, in characters. */
const MAX_INDENTATION = 64;

/**
 * Line break and indentation. White space between two tokens is empty, a space, or this; its length
 * is bounded so that a model cannot spend its budget on it.
 */
const INDENTATION = sequence(
  text("\n"),
  repeat(character([0x20, 0x20], [0x09, 0x09]), 0, MAX_INDENTATION),
);
const SPACE: GrammarNode = choice(EMPTY, text(" "), INDENTATION);

export const COLON: GrammarNode = words([":", ": "]);
export const COMMA: GrammarNode = sequence(text(","), SPACE);

/** Any character of a string, including unnecessary escapes. */
export const ANY_CHARACTER: GrammarNode = jsonCharacter(ALL_CODE_POINTS, "in-json-freely");

/** Non-empty content between brackets, with the same kind of white space at both ends. */
export function bracketed(open: string, inside: GrammarNode, close: string): GrammarNode {
  return sequence(
    text(open),
    choice(
      inside,
      sequence(text(" "), inside, text(" ")),
      sequence(INDENTATION, inside, INDENTATION),
    ),
    text(close),
  );
}

/** JSON string whose content is in a language of encoded characters. */
export function buildString(inside: GrammarNode): GrammarNode {
  return lexeme(sequence(text('"'), inside, text('"')));
}

export const ANY_STRING: GrammarNode = buildString(repeat(ANY_CHARACTER, 0));

/**
 * Character of a key, or of a string with a restricted language: only the forms that JSON printers
 * write.
 */
export const USUAL_CHARACTER: GrammarNode = jsonCharacter(ALL_CODE_POINTS);

export const ANY_KEY: GrammarNode = buildString(repeat(USUAL_CHARACTER, 0));

const DIGIT = character([0x30, 0x39]);
const NOT_ZERO = character([0x31, 0x39]);
/** Maximum digits of an integer: most parsers read longer ones as infinite. */
const MAX_INTEGER_DIGITS = 200;

export const NATURAL: GrammarNode = choice(
  text("0"),
  sequence(NOT_ZERO, repeat(DIGIT, 0, MAX_INTEGER_DIGITS - 1)),
);
/**
 * Maximum digits after the decimal point. Usual serialisers write a double with fewer digits, or
 * with an exponent; without a limit, a model could generate digits forever.
 */
export const MAX_FRACTION_DIGITS = 25;
const FRACTION = sequence(text("."), repeat(DIGIT, 1, MAX_FRACTION_DIGITS));
const EXPONENT = sequence(
  words(["e", "E"]),
  choice(
    sequence(optional(words(["+"])), repeat(DIGIT, 1, 2)),
    sequence(text("-"), repeat(DIGIT, 1, 3)),
  ),
);
/** `1e100` to `1e307`: larger exponents need a mantissa of one digit to stay finite. */
const LARGE = sequence(
  NOT_ZERO,
  optional(FRACTION),
  words(["e", "E"]),
  optional(text("+")),
  choice(
    sequence(character([0x31, 0x32]), DIGIT, DIGIT),
    sequence(text("30"), character([0x30, 0x37])),
  ),
);

/** Number without its sign. */
export const UNSIGNED_NUMBER: GrammarNode = choice(
  sequence(NATURAL, optional(FRACTION), optional(EXPONENT)),
  LARGE,
);

export const ANY_NUMBER: GrammarNode = lexeme(sequence(optional(text("-")), UNSIGNED_NUMBER));
export const ANY_INTEGER: GrammarNode = lexeme(sequence(optional(text("-")), NATURAL));

/** Reference to the rule of any JSON value, in {@link JSON_RULES}. */
export const ANY_VALUE = rule("json");

const anyMember = sequence(ANY_STRING, COLON, ANY_VALUE);

function list(item: GrammarNode): GrammarNode {
  return sequence(item, repeat(sequence(COMMA, item), 0));
}

/** Rules for any JSON value and any object. */
export const JSON_RULES: Readonly<Record<string, GrammarNode>> = {
  json: choice(
    rule("json-object"),
    text("[]"),
    bracketed("[", list(ANY_VALUE), "]"),
    ANY_STRING,
    ANY_NUMBER,
    words(["true", "false", "null"]),
  ),
  "json-object": choice(text("{}"), bracketed("{", list(anyMember), "}")),
};

/** Encodes a text as the content of a JSON string. */
export function encodeInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Matches texts within a JSON string, each in two forms: characters unescaped where JSON allows, or
 * all in ASCII.
 */
export function wordsInJson(texts: readonly string[]): GrammarNode {
  const plain = texts.map(encodeInJson);
  return words([...new Set([...plain, ...plain.map(toAscii)])]);
}

function toAscii(text: string): string {
  return text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Matches texts in all forms that {@link USUAL_CHARACTER} allows. */
export function allFormsInJson(texts: readonly string[]): GrammarNode {
  return choice(
    ...texts.map((text) =>
      /^[\x20-\x7f]*$/.test(text) && !/["\\/]/.test(text)
        ? words([text])
        : sequence(
            ...[...text].map((character) => {
              const codePoint = character.codePointAt(0) ?? 0;
              return jsonCharacter([[codePoint, codePoint]]);
            }),
          ),
    ),
  );
}

/**
 * Builds the complement of some texts, in all their forms; returns no language if there are no
 * texts.
 */
export function noneInJson(texts: readonly string[]): readonly GrammarNode[] {
  return texts.length === 0 ? [] : [complement(allFormsInJson(texts))];
}
