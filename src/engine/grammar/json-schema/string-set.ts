import type { GrammarNode } from "../../../core/grammar.js";
import {
  choice,
  intersection,
  jsonCharacter,
  repeat,
  sequence,
  words,
} from "../../../core/grammar-nodes.js";
import { ANY_CHARACTER, USUAL_CHARACTER } from "../json-text/json-text.js";
import type { Languages } from "./languages.js";
import type { StringSet } from "./value-set.js";

/** A text as it stands in a JSON string. */
export function insideOfJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The forms of some texts within a JSON string: their characters as they are, or all in ASCII. */
export function wordsInJson(texts: readonly string[]): GrammarNode {
  const plain = texts.map(insideOfJson);
  return words([...new Set([...plain, ...plain.map(toAscii)])]);
}

function toAscii(text: string): string {
  return text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** All forms of some texts that {@link USUAL_CHARACTER} allows. */
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

/** Strings of both sets; `undefined`: there are none. */
export function intersectStrings(
  a: StringSet,
  b: StringSet,
  languages: Languages,
): StringSet | undefined {
  const both: StringSet = {
    words:
      a.words && b.words ? a.words.filter((word) => b.words?.includes(word)) : (a.words ?? b.words),
    languages: [...new Set([...a.languages, ...b.languages])],
    minLength: Math.max(a.minLength, b.minLength),
    maxLength: Math.min(a.maxLength, b.maxLength),
  };
  if (both.minLength > both.maxLength) return undefined;
  if (both.words === undefined) return both;
  const left = both.words.filter((word) => satisfies(word, both, languages));
  if (left.length === 0) return undefined;
  return { words: left, languages: [], minLength: 0, maxLength: Number.POSITIVE_INFINITY };
}

function satisfies(
  word: string,
  { languages: required, minLength, maxLength }: StringSet,
  languages: Languages,
): boolean {
  const { length } = [...word];
  return (
    length >= minLength && length <= maxLength && languages.allHave(required, insideOfJson(word))
  );
}

/** The strings of a set, without their quotes. */
export function insideOf({ words: only, languages, minLength, maxLength }: StringSet): GrammarNode {
  if (only !== undefined) return wordsInJson(only);
  const isLimited = minLength > 0 || Number.isFinite(maxLength);
  const max = Number.isFinite(maxLength) ? maxLength : undefined;
  if (languages.length === 0) return repeat(ANY_CHARACTER, minLength, max);
  const length = isLimited ? [repeat(USUAL_CHARACTER, minLength, max)] : [];
  return intersection(...languages, ...length);
}

/** The strings that are not in a set. */
export function complementStrings(set: StringSet): StringSet {
  const inside = set.words === undefined ? limited(set) : allFormsInJson(set.words);
  return {
    words: undefined,
    languages: [repeat(USUAL_CHARACTER, 0), { type: "complement", of: inside }],
    minLength: 0,
    maxLength: Number.POSITIVE_INFINITY,
  };
}

function limited({ languages, minLength, maxLength }: StringSet): GrammarNode {
  const max = Number.isFinite(maxLength) ? maxLength : undefined;
  return intersection(...languages, repeat(USUAL_CHARACTER, minLength, max));
}
