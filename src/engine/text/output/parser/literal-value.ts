import type { JsonType } from "../../../../core/output-format.js";
import { escapeJson, isJson, type ValueEnd } from "./json-value.js";
import { readTextUntil, takeLiteral } from "./marks.js";
import { OutputBuffer, peekCharacter, type Reading, skipSpace } from "./output-buffer.js";

/** A JSON-like syntax of values. */
export interface LiteralSyntax {
  /** Quotes of strings with backslash escapes. */
  readonly quotes: readonly string[];
  /** Quote of strings without escapes. */
  readonly rawQuote?: string;
  /** `bare`: keys may also be unquoted. */
  readonly keys: "quoted" | "bare";
}

export const PYTHON: LiteralSyntax = { quotes: ['"', "'"], keys: "quoted" };

/** Keywords of Python and JSON. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["[", "]"],
  ["(", ")"],
]);

const MAX_DEPTH = 256;
const SCALAR = /[\w.+-]/;
const BARE_KEY = /[^\s:,{}[\]"']/;
/** Replacements of escaped characters for which JSON has another escape or none. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ["0", "\\u0000"],
  ["a", "\\u0007"],
  ["v", "\\u000b"],
  ["\n", ""],
]);
const JSON_ESCAPES = '"\\/bfnrtu';

type Pass = (text: string) => void;

/** Reads one value and passes it on as JSON. */
export function* readLiteralValue(
  buffer: OutputBuffer,
  syntax: LiteralSyntax,
  pass: Pass,
  depth = 0,
): Reading<ValueEnd> {
  const string = yield* readString(buffer, syntax, pass);
  if (string !== "absent") return string;
  const opener = yield* peekCharacter(buffer);
  const closer = CLOSERS.get(opener);
  if (closer === undefined) return yield* readScalar(buffer, pass);
  if (depth >= MAX_DEPTH) return "malformed";
  buffer.position++;
  pass(opener === "{" ? "{" : "[");
  const readElement = opener === "{" ? readMember : readLiteralValue;
  const end = yield* readElements(buffer, closer, pass, () =>
    readElement(buffer, syntax, pass, depth + 1),
  );
  if (end !== "complete") return end;
  buffer.position++;
  pass(opener === "{" ? "}" : "]");
  return "complete";
}

/** Reads elements between commas, up to the closing character. */
export function* readElements(
  buffer: OutputBuffer,
  closer: string,
  pass: Pass,
  readElement: () => Reading<ValueEnd>,
): Reading<ValueEnd> {
  for (let count = 0; ; count++) {
    yield* skipSpace(buffer);
    if ((yield* peekCharacter(buffer)) === closer) return "complete";
    if (count > 0) pass(",");
    const end = yield* readElement();
    if (end !== "complete") return end;
    yield* skipSpace(buffer);
    const nextCharacter = yield* peekCharacter(buffer);
    if (nextCharacter === ",") buffer.position++;
    else if (nextCharacter !== closer) return determineEnd(buffer);
  }
}

/** Returns how a value ends whose next character is missing or not allowed. */
export function determineEnd(buffer: OutputBuffer): ValueEnd {
  return buffer.hasEnded && buffer.position >= buffer.end ? "cut" : "malformed";
}

function* readMember(
  buffer: OutputBuffer,
  syntax: LiteralSyntax,
  pass: Pass,
  depth: number,
): Reading<ValueEnd> {
  const key = yield* readString(buffer, syntax, pass);
  if (key !== "absent" && key !== "complete") return key;
  if (key === "absent") {
    const bareKey = syntax.keys === "bare" ? yield* takeWhile(buffer, BARE_KEY) : "";
    if (bareKey === "") return determineEnd(buffer);
    pass(`"${escapeJson(bareKey)}"`);
  }
  yield* skipSpace(buffer);
  if ((yield* peekCharacter(buffer)) !== ":") return determineEnd(buffer);
  buffer.position++;
  pass(":");
  yield* skipSpace(buffer);
  return yield* readLiteralValue(buffer, syntax, pass, depth);
}

function* readString(
  buffer: OutputBuffer,
  { quotes, rawQuote }: LiteralSyntax,
  pass: Pass,
): Reading<ValueEnd | "absent"> {
  if (rawQuote !== undefined && (yield* takeLiteral(buffer, rawQuote)) === "matched") {
    pass('"');
    const mark = yield* readTextUntil(buffer, [rawQuote], (text) => pass(escapeJson(text)));
    if (mark === undefined) return "cut";
    buffer.position += mark.length;
    pass('"');
    return "complete";
  }
  const quote = yield* peekCharacter(buffer);
  if (!quotes.includes(quote)) return "absent";
  buffer.position++;
  pass('"');
  for (;;) {
    const character = yield* peekCharacter(buffer);
    if (character === "") return determineEnd(buffer);
    buffer.position++;
    if (character === quote) break;
    if (character !== "\\") pass(escapeJson(character));
    else if (!(yield* readEscape(buffer, pass))) return determineEnd(buffer);
  }
  pass('"');
  return "complete";
}

/** Reads the rest of an escape after its backslash; returns false if it is cut or malformed. */
function* readEscape(buffer: OutputBuffer, pass: Pass): Reading<boolean> {
  const character = yield* peekCharacter(buffer);
  if (character === "") return false;
  buffer.position++;
  if (character === "x" || character === "u" || character === "U") {
    const lengths = { x: 2, u: 4, U: 8 };
    const digits = yield* takeWhile(buffer, /[\da-fA-F]/, lengths[character]);
    const code = Number.parseInt(digits, 16);
    if (digits.length < lengths[character] || code > 0x10ffff) return false;
    pass(character === "u" ? `\\u${digits}` : escapeJson(String.fromCodePoint(code)));
  } else if (JSON_ESCAPES.includes(character)) pass(`\\${character}`);
  else pass(ESCAPES.get(character) ?? `\\\\${character}`);
  return true;
}

function* readScalar(buffer: OutputBuffer, pass: Pass): Reading<ValueEnd> {
  const text = yield* takeWhile(buffer, SCALAR);
  const json = WORDS.get(text) ?? (isJson(text) ? text : undefined);
  const isCut = buffer.hasEnded && buffer.position >= buffer.end;
  if (json !== undefined) pass(json);
  if (isCut) return "cut";
  return json === undefined ? "malformed" : "complete";
}

/** Takes characters while they match, at most `limit`. */
export function* takeWhile(
  buffer: OutputBuffer,
  allowed: RegExp,
  limit = Number.POSITIVE_INFINITY,
): Reading<string> {
  let text = "";
  while (text.length < limit) {
    const character = yield* peekCharacter(buffer);
    if (character === "" || !allowed.test(character)) break;
    text += character;
    buffer.position++;
  }
  return text;
}

/**
 * Converts a parameter's plain-text value to JSON. JSON of an allowed type is kept as written,
 * Python's literals are converted, and the rest becomes a string.
 * @param types allowed types; any if absent
 */
export function toJsonValue(text: string, types: readonly JsonType[] | undefined): string {
  const trimmed = text.trim();
  const json = isJson(trimmed) ? trimmed : convertPythonToJson(trimmed);
  const mayBeString = types === undefined || types.includes("string");
  if (json !== undefined) {
    const type = typeOf(json);
    const isAllowed = types === undefined || types.includes(type);
    if (!mayBeString || (isAllowed && type !== "string")) return json;
  }
  return `"${escapeJson(text)}"`;
}

function convertPythonToJson(text: string): string | undefined {
  const buffer = new OutputBuffer();
  buffer.push({ type: "text", text });
  buffer.finish();
  let json = "";
  const reading = readLiteralValue(buffer, PYTHON, (piece) => {
    json += piece;
  });
  while (!reading.next().done);
  return buffer.position === buffer.end && isJson(json) ? json : undefined;
}

/** Returns the type of a JSON value from its first character. */
function typeOf(json: string): JsonType {
  switch (json.charAt(0)) {
    case "{":
      return "object";
    case "[":
      return "array";
    case '"':
      return "string";
    case "t":
    case "f":
      return "boolean";
    case "n":
      return "null";
    default:
      return "number";
  }
}
