import { z } from "zod";
import { describeExcessNesting } from "../core/json-size.js";
import { type AuditEntry, KeyTable, keyActions } from "./key-table.js";
import { storedFields } from "./stored-key.js";

/*
 * The file is JSON Lines: a head, then one line per change, with the key after it. So the file is
 * the audit log of the keys, and a change without its entry in the log is impossible. Lines are
 * numbered, so that a missing one is detected.
 */

const FORMAT = "ggufd keys";
const FILE_VERSION = 1;

const head = z.object({ format: z.literal(FORMAT), version: z.int() });

/** Fields that a version does not know could restrict a key, so they are refused. */
const changeLine = z.strictObject({
  number: z.int().positive(),
  at: z.iso.datetime({ precision: 3 }),
  by: z.string(),
  from: z.string().optional(),
  action: z.enum(keyActions),
  name: z.string(),
  key: storedFields.optional(),
});

export const HEAD_LINE = `${JSON.stringify({ format: FORMAT, version: FILE_VERSION })}\n`;

export function printEntry({ number, at, by, from, action, name, after }: AuditEntry): string {
  const { name: _name, ...key } = after ?? {};
  const line = { number, at, by, from, action, name, ...(after !== undefined && { key }) };
  return `${JSON.stringify(line)}\n`;
}

const LINE_BREAK = 0x0a;

/**
 * Reads a file. An incomplete last line is ignored: its change was never acknowledged.
 * @throws {Error} naming the first invalid line and the reason
 */
export function replayKeys(file: Uint8Array): KeyTable {
  const table = new KeyTable();
  let start = 0;
  for (let line = 1; start < file.length || line === 1; line++) {
    const end = file.indexOf(LINE_BREAK, start);
    const bytes = file.subarray(start, end === -1 ? file.length : end);
    // After a power failure, the end of a file may be missing, or zeros.
    const isLast = end === -1 || end === file.length - 1;
    if (line > 1 && isLast && (end === -1 || bytes.includes(0))) break;
    try {
      if (line === 1) expectHead(parseJson(bytes));
      else recordLine(table, parseJson(bytes));
      if (end === -1) throw new Error("expected a line break at its end");
    } catch (cause) {
      throw new Error(`line ${line}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    start = end + 1;
  }
  return table;
}

function parseJson(bytes: Uint8Array): unknown {
  const nesting = describeExcessNesting(bytes);
  if (nesting !== undefined) throw new Error(nesting);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

function expectHead(value: unknown): void {
  const result = head.safeParse(value);
  if (!result.success) throw new Error(`expected ${HEAD_LINE.trim()}, got another format`);
  const { version } = result.data;
  if (version !== FILE_VERSION) throw new Error(`expected version ${FILE_VERSION}, got ${version}`);
}

function recordLine(table: KeyTable, value: unknown): void {
  const result = changeLine.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const path = z.core.toDotPath(issue?.path ?? []) || "top level";
    throw new Error(`${path}: ${issue?.message ?? "wrong shape"}`);
  }
  const { number, key, ...change } = result.data;
  const expected = table.entries.length + 1;
  if (number !== expected) throw new Error(`number: expected ${expected}, got ${number}`);
  table.record({ ...change, after: key && { name: change.name, ...key } });
}
