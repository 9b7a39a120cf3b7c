import type { Json } from "./conversation.js";

/** JSON with a space after commas and colons, as the template's `tojson` prints it. */
export function json(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(json).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}: ${json(item)}`,
    );
    return `{${entries.join(", ")}}`;
  }
  return JSON.stringify(value);
}
