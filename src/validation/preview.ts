import { escapeHiddenCharacters } from "../core/hidden-characters.js";

/** Maximum number of characters of a rejected value that an error quotes. */
const MAX_CHARACTERS = 60;
/** Maximum number of UTF-16 code units in {@link MAX_CHARACTERS} characters. */
const MAX_UNITS = 2 * MAX_CHARACTERS;

/**
 * Formats a value as JSON for an error message, truncated at a code point boundary, with hidden
 * characters escaped. The cost is bounded even for large values, because only the visible part is
 * serialised.
 */
export function preview(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = printJsonPrefix(value);
  const start = [...json.slice(0, MAX_UNITS)].slice(0, MAX_CHARACTERS).join("");
  const visibleText = escapeHiddenCharacters(start);
  if (start === json) return visibleText;
  return typeof value === "string"
    ? `${visibleText}… (${countCharacters(value)} characters)`
    : `${visibleText}…`;
}

/**
 * Serialises a value, or at least its first {@link MAX_UNITS}.
 * @param depth nesting depth of the value; each level prints a character, so values deeper than
 *   {@link MAX_UNITS} are never visible
 */
function printJsonPrefix(value: unknown, depth = 0): string {
  if (typeof value === "string") {
    const json = JSON.stringify(value.slice(0, MAX_UNITS));
    return value.length > MAX_UNITS ? json.slice(0, -1) : json;
  }
  // Infinity, from a number too large for a double, has no JSON form.
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? String(value);
  if (depth > MAX_UNITS) return "";
  const printItem = (inner: unknown) => printJsonPrefix(inner, depth + 1);
  return Array.isArray(value)
    ? joinPrefix("[", value, printItem, "]")
    : joinPrefix(
        "{",
        Object.entries(value),
        ([key, inner]) => `${printJsonPrefix(key)}:${printItem(inner)}`,
        "}",
      );
}

function joinPrefix<Item>(
  open: string,
  items: readonly Item[],
  print: (item: Item) => string,
  close: string,
): string {
  let json = open;
  for (const item of items) {
    if (json.length > MAX_UNITS) return json;
    if (json !== open) json += ",";
    json += print(item);
  }
  return json + close;
}

/**
 * Number of code points; a very long text is counted in UTF-16 units, which takes constant time.
 */
function countCharacters(text: string): number {
  return text.length > 1_000_000 ? text.length : [...text].length;
}
