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

/** In single quotes, unless only those occur in the text. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replace(/[\n\r\t]/g, (character) => ESCAPES[character] ?? character);
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}
