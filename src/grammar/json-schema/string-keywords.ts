import { RegexError, UnsupportedGrammar } from "../errors.js";
import type { GrammarNode } from "../grammar.js";
import { expectString, parseCount } from "./keyword-checks.js";
import type { RegularLanguages } from "./regular-languages.js";
import type { SchemaPlace } from "./schema-document.js";
import { intersectStrings } from "./string-set.js";
import { ALL_STRINGS, type StringSet } from "./value-set.js";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the strings that a schema's keywords allow.
 * @throws {UnsupportedGrammar}
 */
export function parseStringKeywords(
  place: SchemaPlace,
  schema: Schema,
  languages: RegularLanguages,
): readonly StringSet[] {
  const sets: StringSet[] = [];
  if (schema["pattern"] !== undefined) {
    const pattern = expectString(place, "pattern", schema["pattern"]);
    sets.push(parsePatternStrings(languages, [...place.path, "pattern"], pattern));
  }
  if (typeof schema["format"] === "string") {
    const format = findFormat(schema["format"]);
    if (format.kind === "unsupported") {
      const reason = `the format ${JSON.stringify(schema["format"])} is not supported`;
      throw new UnsupportedGrammar([...place.path, "format"], reason);
    }
    if (format.kind === "pattern") {
      const { maxLength = Number.POSITIVE_INFINITY } = format;
      sets.push({
        ...parsePatternStrings(languages, [...place.path, "format"], format.pattern),
        maxLength,
      });
    }
  }
  const length: StringSet = {
    ...ALL_STRINGS,
    minLength: parseCount(place, schema, "minLength") ?? 0,
    maxLength: parseCount(place, schema, "maxLength") ?? Number.POSITIVE_INFINITY,
  };
  const strings = [...sets, length].reduce<StringSet | undefined>(
    (common, next) => common && intersectStrings(common, next, languages),
    ALL_STRINGS,
  );
  return strings === undefined ? [] : [strings];
}

/**
 * Returns the strings that contain a match of a pattern.
 * @throws {UnsupportedGrammar}
 */
function parsePatternStrings(
  languages: RegularLanguages,
  path: readonly string[],
  pattern: string,
): StringSet {
  return { ...ALL_STRINGS, languages: [compilePattern(languages, path, pattern)] };
}

/**
 * Returns the JSON-encoded strings that contain a match of a pattern.
 * @throws {UnsupportedGrammar}
 */
export function compilePattern(
  languages: RegularLanguages,
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

const HEX = "[0-9A-Fa-f]";
const YEAR = "\\d{4}";
/** Years divisible by 4, except those divisible by 100 but not by 400. */
const LEAP_YEAR = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const DATE = `(?:${YEAR}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|${LEAP_YEAR}-02-29)`;
const OFFSET = "(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";
const TIME = `(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?${OFFSET}`;
const DURATION_TIME = "T(?:\\d+H(?:\\d+M)?(?:\\d+S)?|\\d+M(?:\\d+S)?|\\d+S)";
const DURATION_DATE = "(?:\\d+Y(?:\\d+M)?(?:\\d+D)?|\\d+M(?:\\d+D)?|\\d+D)";

const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = `${BYTE}(?:\\.${BYTE}){3}`;
const GROUP = `${HEX}{1,4}`;
const LAST_GROUPS = `(?:${GROUP}:${GROUP}|${IPV4})`;
const IPV6 = [
  `(?:${GROUP}:){6}${LAST_GROUPS}`,
  `::(?:${GROUP}:){5}${LAST_GROUPS}`,
  `(?:${GROUP})?::(?:${GROUP}:){4}${LAST_GROUPS}`,
  `(?:(?:${GROUP}:){0,1}${GROUP})?::(?:${GROUP}:){3}${LAST_GROUPS}`,
  `(?:(?:${GROUP}:){0,2}${GROUP})?::(?:${GROUP}:){2}${LAST_GROUPS}`,
  `(?:(?:${GROUP}:){0,3}${GROUP})?::${GROUP}:${LAST_GROUPS}`,
  `(?:(?:${GROUP}:){0,4}${GROUP})?::${LAST_GROUPS}`,
  `(?:(?:${GROUP}:){0,5}${GROUP})?::${GROUP}`,
  `(?:(?:${GROUP}:){0,6}${GROUP})?::`,
].join("|");

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const HOSTNAME = `${LABEL}(?:\\.${LABEL})*`;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";

const ESCAPED = `%${HEX}{2}`;
const PATH_CHARACTER = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|${ESCAPED})`;
const NAME_CHARACTER = `(?:[A-Za-z0-9._~!$&'()*+,;=-]|${ESCAPED})`;
const AUTHORITY = `(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|${ESCAPED})*@)?(?:\\[(?:${IPV6})\\]|${NAME_CHARACTER}*)(?::\\d*)?`;
const SEGMENTS = `(?:/${PATH_CHARACTER}*)*`;
const QUERY_AND_FRAGMENT = `(?:\\?(?:${PATH_CHARACTER}|[/?])*)?(?:#(?:${PATH_CHARACTER}|[/?])*)?`;
const ROOTED_PATH = `//${AUTHORITY}${SEGMENTS}|/(?:${PATH_CHARACTER}+${SEGMENTS})?`;
const URI = `[A-Za-z][A-Za-z0-9+.-]*:(?:${ROOTED_PATH}|${PATH_CHARACTER}+${SEGMENTS})?${QUERY_AND_FRAGMENT}`;
const RELATIVE_REFERENCE = `(?:${ROOTED_PATH}|(?:[A-Za-z0-9._~!$&'()*+,;=@-]|${ESCAPED})+${SEGMENTS})?${QUERY_AND_FRAGMENT}`;

const POINTER_TOKENS = "(?:/(?:[^~/]|~[01])*)*";

/** Handling of a string format. */
type StringFormat =
  | { readonly kind: "pattern"; readonly pattern: string; readonly maxLength?: number }
  /** Annotation, which validators do not check. */
  | { readonly kind: "annotation" }
  | { readonly kind: "unsupported" };

function pattern(whole: string, maxLength?: number): StringFormat {
  return { kind: "pattern", pattern: `^(?:${whole})$`, ...(maxLength && { maxLength }) };
}

const FORMATS: ReadonlyMap<string, StringFormat> = new Map([
  ["date", pattern(DATE)],
  ["time", pattern(TIME)],
  ["date-time", pattern(`${DATE}[Tt]${TIME}`)],
  ["duration", pattern(`P(?:${DURATION_DATE}(?:${DURATION_TIME})?|${DURATION_TIME}|\\d+W)`)],
  ["email", pattern(`${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})+`, 254)],
  ["hostname", pattern(HOSTNAME, 253)],
  ["ipv4", pattern(IPV4)],
  ["ipv6", pattern(IPV6)],
  ["uuid", pattern(`${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`)],
  ["uri", pattern(URI)],
  ["uri-reference", pattern(`${URI}|${RELATIVE_REFERENCE}`)],
  ["json-pointer", pattern(POINTER_TOKENS)],
  ["relative-json-pointer", pattern(`(?:0|[1-9]\\d*)(?:#|${POINTER_TOKENS})`)],
  ...["idn-email", "idn-hostname", "iri", "iri-reference", "uri-template", "regex"].map(
    (name): [string, StringFormat] => [name, { kind: "unsupported" }],
  ),
]);

/**
 * Looks up a format of JSON Schema (2020-12, section 7.3 of its validation vocabulary), defined by
 * the RFCs it refers to. Other formats are annotations, which validators do not check.
 */
function findFormat(name: string): StringFormat {
  return FORMATS.get(name) ?? { kind: "annotation" };
}
