import type { GrammarNode } from "../grammar.js";
import { RegexError } from "../regex/regex-error.js";
import { UnsupportedGrammar } from "../unsupported-grammar.js";
import { countOf, expectString } from "./keyword-checks.js";
import type { Languages } from "./languages.js";
import type { SchemaPlace } from "./schema-document.js";
import { stringFormat } from "./string-formats.js";
import { intersectStrings } from "./string-set.js";
import { ALL_STRINGS, type StringSet } from "./value-set.js";

type Schema = Readonly<Record<string, unknown>>;

/**
 * The strings that the keywords of a schema allow.
 * @throws {UnsupportedGrammar}
 */
export function stringsOf(
  place: SchemaPlace,
  schema: Schema,
  languages: Languages,
): readonly StringSet[] {
  const sets: StringSet[] = [];
  if (schema["pattern"] !== undefined) {
    const pattern = expectString(place, "pattern", schema["pattern"]);
    sets.push(patternStrings(languages, [...place.path, "pattern"], pattern));
  }
  if (typeof schema["format"] === "string") {
    const format = stringFormat(schema["format"]);
    if (format.kind === "unsupported") {
      const reason = `the format ${JSON.stringify(schema["format"])} is not supported`;
      throw new UnsupportedGrammar([...place.path, "format"], reason);
    }
    if (format.kind === "pattern") {
      const { maxLength = Number.POSITIVE_INFINITY } = format;
      sets.push({
        ...patternStrings(languages, [...place.path, "format"], format.pattern),
        maxLength,
      });
    }
  }
  const length: StringSet = {
    ...ALL_STRINGS,
    minLength: countOf(place, schema, "minLength") ?? 0,
    maxLength: countOf(place, schema, "maxLength") ?? Number.POSITIVE_INFINITY,
  };
  const strings = [...sets, length].reduce<StringSet | undefined>(
    (common, next) => common && intersectStrings(common, next, languages),
    ALL_STRINGS,
  );
  return strings === undefined ? [] : [strings];
}

/**
 * Strings in which a pattern occurs.
 * @throws {UnsupportedGrammar}
 */
export function patternStrings(
  languages: Languages,
  path: readonly string[],
  pattern: string,
): StringSet {
  return { ...ALL_STRINGS, languages: [patternLanguage(languages, path, pattern)] };
}

/**
 * The strings in which a pattern occurs, as they are written in JSON.
 * @throws {UnsupportedGrammar}
 */
export function patternLanguage(
  languages: Languages,
  path: readonly string[],
  pattern: string,
): GrammarNode {
  try {
    return languages.withPattern(pattern);
  } catch (error) {
    if (error instanceof RegexError) throw new UnsupportedGrammar(path, error.message);
    throw error;
  }
}
