import { JsonScanner } from "./json-scanner.js";
import { hasCharacter, type OutputBuffer, type Reading } from "./output-buffer.js";

/** How a value ended: `cut`: with the output. */
export type ValueEnd = "complete" | "malformed" | "cut";

const MAY_NEED_ESCAPE = /["\\\p{Cc}]/gu;
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * The inside of a JSON string with this text. Unlike `JSON.stringify` it works on pieces: halves of a
 * surrogate pair pass.
 */
export function escapeJson(text: string): string {
  return text.replace(MAY_NEED_ESCAPE, (character) => {
    const short = SHORT_ESCAPES.get(character);
    if (short !== undefined || character >= " ") return short ?? character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/**
 * Reads one JSON value and passes it on as it is written, byte for byte. Only raw control characters
 * in strings, which JSON forbids and models write nevertheless, are escaped. A control token is
 * malformed.
 */
export function* readJsonValue(
  buffer: OutputBuffer,
  pass: (text: string) => void,
): Reading<ValueEnd> {
  const scanner = new JsonScanner();
  while (yield* hasCharacter(buffer, buffer.position)) {
    const character = buffer.characterAt(buffer.position);
    if (buffer.isHidden(buffer.position)) return scanner.isComplete ? "complete" : "malformed";
    const { isInString } = scanner;
    const step = scanner.push(character);
    if (step === "malformed") return "malformed";
    if (step === "behind") return "complete";
    pass(isInString && character < " " ? escapeJson(character) : character);
    buffer.position++;
    if (step === "last") return "complete";
  }
  return "cut";
}
