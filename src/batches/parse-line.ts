import { isJsonObject } from "../core/json.js";
import { describeExcessNesting } from "../core/json-size.js";
import { preview } from "../validation/preview.js";
import type { InputError } from "./batch.js";

/** A valid line of an input file. */
export interface InputLine {
  readonly customId: string;
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type LineError = Omit<InputError, "line">;

const MAX_ID_CHARS = 512;

/** Bytes of a line without JSON from which a message quotes. */
const MAX_SHOWN_BYTES = 200;

/** Body fields that make a route answer with something other than one complete result. */
const INTERACTIVE_FIELDS = ["stream", "background"] as const;

/** A valid line whose `url` is unchecked. */
export interface UnroutedLine extends Omit<InputLine, "url"> {
  readonly url: unknown;
}

/**
 * Parses a line: `{"custom_id","method","url","body"}`.
 * @param endpoint path that every line must have
 */
export function parseLine(bytes: Buffer, endpoint: string): InputLine | LineError {
  const line = parseUnroutedLine(bytes);
  if (isLineError(line)) return line;
  const { customId, url, body } = line;
  if (url === endpoint) return { customId, url: endpoint, body };
  return error(
    "mismatched_endpoint",
    `url: expected ${JSON.stringify(endpoint)}, the endpoint of the batch, got ${preview(url)}.`,
    "url",
  );
}

/** Parses a line of any endpoint. */
export function parseUnroutedLine(bytes: Buffer): UnroutedLine | LineError {
  const nesting = describeExcessNesting(bytes);
  if (nesting !== undefined) return error("invalid_json_line", `line: ${nesting}.`, null);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const start = bytes.subarray(0, MAX_SHOWN_BYTES).toString();
    return error("invalid_json_line", `line: expected JSON in UTF-8, got ${preview(start)}.`, null);
  }
  if (!isJsonObject(value)) {
    const message = `line: expected a JSON object, got ${preview(value)}.`;
    return error("invalid_json_line", message, null);
  }
  const { custom_id: customId, method, url, body } = value;
  if (typeof customId !== "string" || customId === "" || customId.length > MAX_ID_CHARS) {
    return invalid("custom_id", `expected a string of 1 to ${MAX_ID_CHARS} characters`, customId);
  }
  if (method !== "POST") return invalid("method", 'expected "POST"', method);
  if (!isJsonObject(body)) return invalid("body", "expected a JSON object", body);
  for (const field of INTERACTIVE_FIELDS) {
    if (body[field] === true) {
      return invalid(`body.${field}`, "expected false or nothing in a batch", true);
    }
  }
  return { customId, url, body };
}

export function isLineError(line: UnroutedLine | LineError): line is LineError {
  return "code" in line;
}

/** Creates the error of an invalid field. */
export function invalid(param: string, expected: string, got: unknown): LineError {
  return error("invalid_request", `${param}: ${expected}, got ${preview(got)}.`, param);
}

function error(code: string, message: string, param: string | null): LineError {
  return { code, message, param };
}
