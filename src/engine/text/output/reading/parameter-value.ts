import type { JsonType } from "../../../../core/output-format.js";
import { isJson } from "./json-scanner.js";
import { escapeJson } from "./json-value.js";
import { PYTHON, readLiteralValue } from "./literal-value.js";
import { OutputBuffer } from "./output-buffer.js";

/**
 * A parameter's value that is written as plain text, as JSON. What is JSON of a type that the
 * parameter may have stays as it is written; Python's literals are converted; the rest is a string.
 * @param types that the parameter may have; absent: any
 */
export function toJsonValue(text: string, types: readonly JsonType[] | undefined): string {
  const trimmed = text.trim();
  const json = isJson(trimmed) ? trimmed : pythonAsJson(trimmed);
  const mayBeString = types === undefined || types.includes("string");
  if (json !== undefined) {
    const type = typeOf(json);
    const isAllowed = types === undefined || types.includes(type);
    if (!mayBeString || (isAllowed && type !== "string")) return json;
  }
  return `"${escapeJson(text)}"`;
}

function pythonAsJson(text: string): string | undefined {
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

/** The type of a JSON value, by its first character. */
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
