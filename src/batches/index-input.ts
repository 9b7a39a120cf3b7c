import type { FileHandle } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type { InputError } from "./batch.js";
import { LineIndex } from "./line-index.js";
import { isLineError, type LineError, parseLine } from "./parse-line.js";
import { readLines } from "./read-lines.js";

/** Maximum number of lines of a batch: Anthropic's limit, twice OpenAI's. */
export const MAX_LINES = 100_000;

/** Maximum number of reported errors. */
const MAX_ERRORS = 100;

/** Bytes parsed per event-loop turn: about a millisecond. */
const TURN_BYTES = 128 * 1024;

export interface IndexedInput {
  readonly index: LineIndex;
  /** Lines by their `custom_id`. */
  readonly linesById: ReadonlyMap<string, number>;
}

/**
 * Validates an input file and indexes its lines. Empty lines are skipped.
 * @param maxLineBytes largest body that the route accepts
 * @returns the errors, if there are any
 */
export async function indexInput(
  file: FileHandle,
  { endpoint, maxLineBytes }: { readonly endpoint: string; readonly maxLineBytes: number },
): Promise<IndexedInput | { readonly errors: readonly InputError[] }> {
  const index = new LineIndex();
  const linesById = new Map<string, number>();
  const errors: InputError[] = [];
  let number = 0;
  let parsedBytes = 0;
  for await (const { offset, length, bytes } of readLines(file, maxLineBytes)) {
    number++;
    const refuse = (reason: LineError) => errors.push({ ...reason, line: number });
    parsedBytes += length;
    if (parsedBytes >= TURN_BYTES) {
      parsedBytes = 0;
      await setImmediate();
    }
    if (bytes === undefined) {
      refuse({
        code: "line_too_large",
        message: `line: expected at most ${maxLineBytes} bytes (--max-body), got ${length}.`,
        param: null,
      });
    } else if (!isBlank(bytes)) {
      const line = parseLine(bytes, endpoint);
      if (isLineError(line)) refuse(line);
      else if (linesById.has(line.customId)) {
        refuse({
          code: "duplicate_custom_id",
          message: `custom_id: expected a unique value, got ${JSON.stringify(line.customId)} again.`,
          param: "custom_id",
        });
      } else {
        linesById.set(line.customId, index.size);
        index.add(line, offset, length);
      }
    }
    if (errors.length >= MAX_ERRORS) break;
    if (index.size > MAX_LINES) {
      errors.push(describeFile("too_many_lines", `at most ${MAX_LINES} lines, got more`));
      break;
    }
  }
  if (errors.length === 0 && index.size === 0) {
    errors.push(describeFile("empty_file", "at least one line, got none"));
  }
  return errors.length > 0 ? { errors } : { index, linesById };
}

function describeFile(code: string, expected: string): InputError {
  return {
    code,
    message: `input_file_id: expected ${expected}.`,
    param: "input_file_id",
    line: null,
  };
}

const SPACE = 0x20;

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte <= SPACE);
}
