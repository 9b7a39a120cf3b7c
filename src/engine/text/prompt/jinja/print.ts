import { isNumber, Namespace, type Value } from "./value.js";

/** What `{{ value }}` prints: Python's `str`. */
export function printed(value: Value): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : represented(value);
}

/** Python's `repr`, which is how members of lists and dictionaries are printed. */
function represented(value: Value): string {
  if (typeof value === "string") return quoted(value);
  if (value === undefined) return "Undefined";
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (isNumber(value)) return typeof value === "number" ? String(value) : value.text;
  if (Array.isArray(value)) return `[${value.map(represented).join(", ")}]`;
  if (value instanceof Map) return representedMap(value);
  return value instanceof Namespace ? representedMap(value.attributes) : "<function>";
}

function representedMap(entries: ReadonlyMap<Value, Value>): string {
  const pairs = [...entries].map(([key, item]) => `${represented(key)}: ${represented(item)}`);
  return `{${pairs.join(", ")}}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** What Python does not call printable, and the space, which it does. */
const UNPRINTABLE_OR_SPACE = /[\p{C}\p{Z}]/gu;

/** In single quotes, unless only those occur in the text. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replace(UNPRINTABLE_OR_SPACE, (character) => {
    return character === " " ? character : (ESCAPES[character] ?? codeEscape(character));
  });
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

/** `\x1b`, `\u2028` or `\U000e0001`. */
function codeEscape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}
