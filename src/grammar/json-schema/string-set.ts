import { complement, type GrammarNode, intersection, repeat } from "../grammar.js";
import {
  ANY_CHARACTER,
  encodeInJson,
  noneInJson,
  USUAL_CHARACTER,
  wordsInJson,
} from "../json-text.js";
import type { RegularLanguages } from "./regular-languages.js";
import { ALL_STRINGS, type StringSet } from "./value-set.js";

/** Returns the strings in both sets; `undefined` if there are none. */
export function intersectStrings(
  a: StringSet,
  b: StringSet,
  languages: RegularLanguages,
): StringSet | undefined {
  const minLength = Math.max(a.minLength, b.minLength);
  const maxLength = Math.min(a.maxLength, b.maxLength);
  if (minLength > maxLength) return undefined;
  if (a.words !== undefined) return withWords(a.words, b, languages);
  if (b.words !== undefined) return withWords(b.words, a, languages);
  return {
    words: undefined,
    except: a.except.size === 0 ? b.except : new Set([...a.except, ...b.except]),
    languages: [...new Set([...a.languages, ...b.languages])],
    minLength,
    maxLength,
  };
}

/** Returns the words that are in a set. */
function withWords(
  words: readonly string[],
  set: StringSet,
  languages: RegularLanguages,
): StringSet | undefined {
  const listedWords = set.words && new Set(set.words);
  const matchingWords = words.filter((word) =>
    listedWords === undefined ? satisfies(word, set, languages) : listedWords.has(word),
  );
  return matchingWords.length === 0 ? undefined : { ...ALL_STRINGS, words: matchingWords };
}

function satisfies(
  word: string,
  { except, languages: required, minLength, maxLength }: StringSet,
  languages: RegularLanguages,
): boolean {
  if (except.has(word)) return false;
  const { length } = [...word];
  return (
    length >= minLength &&
    length <= maxLength &&
    (required.length === 0 || languages.allHave(required, encodeInJson(word)))
  );
}

/** Returns the languages of a set, without its limits of length. */
export function languagesOf({ languages, except }: StringSet): readonly GrammarNode[] {
  return except.size === 0 ? languages : [...languages, ...noneInJson([...except])];
}

/** Builds the strings of a set, without their quotes. */
export function buildStringContent(set: StringSet): GrammarNode {
  const { words: only, languages, minLength, maxLength } = set;
  if (only !== undefined) return wordsInJson(only);
  const isLimited = minLength > 0 || Number.isFinite(maxLength);
  const max = Number.isFinite(maxLength) ? maxLength : undefined;
  const contentLanguages = languagesOf(set);
  if (contentLanguages.length === 0) return repeat(ANY_CHARACTER, minLength, max);
  // Patterns contain characters in their usual forms only; the complements of texts may contain
  // anything.
  const needsCharacters = isLimited || languages.length === 0;
  const length = needsCharacters ? [repeat(USUAL_CHARACTER, minLength, max)] : [];
  return intersection(...contentLanguages, ...length);
}

/** Returns sets whose union is the complement of a set. */
export function complementStrings({
  words: only,
  except,
  languages,
  minLength,
  maxLength,
}: StringSet): readonly StringSet[] {
  if (only !== undefined) return [{ ...ALL_STRINGS, except: new Set(only) }];
  return [
    ...(except.size === 0 ? [] : [{ ...ALL_STRINGS, words: [...except] }]),
    ...(minLength === 0 ? [] : [{ ...ALL_STRINGS, maxLength: minLength - 1 }]),
    ...(Number.isFinite(maxLength) ? [{ ...ALL_STRINGS, minLength: maxLength + 1 }] : []),
    ...(languages.length === 0 ? [] : [{ ...ALL_STRINGS, languages: buildComplement(languages) }]),
  ];
}

/** Any text in the usual forms of characters. */
const USUAL_TEXT: GrammarNode = repeat(USUAL_CHARACTER, 0);

/** Returns languages whose intersection is the texts that are not in all of the given languages. */
function buildComplement(languages: readonly GrammarNode[]): readonly GrammarNode[] {
  const limitingLanguages = languages.filter((language) => language !== USUAL_TEXT);
  const [only] = limitingLanguages;
  const isOpposite = limitingLanguages.length === 1 && only?.type === "complement";
  return [USUAL_TEXT, isOpposite ? only.of : complement(intersection(...limitingLanguages))];
}
