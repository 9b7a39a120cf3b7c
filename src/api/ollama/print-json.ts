import { oneLine } from "../../core/one-line-json.js";
import { printWritten } from "../../core/written-json.js";

/** Prints a value as JSON in one line. Arguments are in the text that they were written in. */
export function printJson(value: unknown): string {
  return oneLine(printWritten(value));
}
