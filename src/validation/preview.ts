import { escapeHiddenCharacters } from "../core/hidden-characters.js";

/** Maximum number of characters of a rejected value that an error repeats. */
const MAX_CHARACTERS = 60;
/** UTF-16 units that surely hold so many characters. */
const MAX_UNITS = 2 * MAX_CHARACTERS;

/**
 * A value as JSON for an error message, truncated at a code point boundary, with hidden characters
 * escaped. It costs no more for a value of megabytes: only the part that is shown is serialised.
 */
export function preview(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = jsonPrefix(value);
  const start = [...json.slice(0, MAX_UNITS)].slice(0, MAX_CHARACTERS).join("");
  const shown = escapeHiddenCharacters(start);
  if (start === json) return shown;
  return typeof value === "string" ? `${shown}… (${charactersIn(value)} characters)` : `${shown}…`;
}

/**
 * JSON of a value: all of it, or at least its first {@link MAX_UNITS}.
 * @param depth of the value: each level around it has printed a character, so that what is deeper than
 *   {@link MAX_UNITS} is not shown
 */
function jsonPrefix(value: unknown, depth = 0): string {
  if (typeof value === "string") {
    const json = JSON.stringify(value.slice(0, MAX_UNITS));
    return value.length > MAX_UNITS ? json.slice(0, -1) : json;
  }
  // JSON has numbers beyond the largest one, and no word for what they become.
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? String(value);
  if (depth > MAX_UNITS) return "";
  const item = (inner: unknown) => jsonPrefix(inner, depth + 1);
  return Array.isArray(value)
    ? joinedPrefix("[", value, item, "]")
    : joinedPrefix(
        "{",
        Object.entries(value),
        ([key, inner]) => `${jsonPrefix(key)}:${item(inner)}`,
        "}",
      );
}

function joinedPrefix<Item>(
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

/** Code points of a text; in a very long one every UTF-16 unit counts, which takes no time. */
function charactersIn(text: string): number {
  return text.length > 1_000_000 ? text.length : [...text].length;
}
