import { z } from "zod";
import { sumOf } from "../../core/sum-of.js";
import type { Conversation, KeptItem } from "../conversation.js";
import type { Changes } from "../conversation-table.js";
import { commonPrefix } from "../shared-items.js";
import { jsonBytes } from "./json-bytes.js";

/*
 * The file is JSON Lines: a head, then one line for each group of changes, which is written, and after a power failure
 * there, as a whole. A line has its own number and an array of records. An item has a number that is unique in the
 * file, by which conversations refer to it: what several of them share is written once.
 *
 * In version 1 a line was the array of records alone.
 */

const FILE_VERSION = 2;
const FORMAT = "ggufd conversations";

export const HEAD_LINE = `${JSON.stringify({ format: FORMAT, version: FILE_VERSION })}\n`;

const count = z.int().nonnegative();

const head = z.object({ format: z.literal(FORMAT), version: z.int() });

const itemRecord = z.object({ item: count, value: z.unknown() });

/** More items than a conversation can have. */
const MAX_KEPT = 10_000_000;

/** A new version of a conversation, which keeps so many leading items of the last one. */
const conversationRecord = z.object({
  conversation: z.string(),
  /**
   * Absent: the server had no keys. Repeated with each version: a conversation whose first line is missing still has
   * its owner. Version 1 had owner and time of creation in the first record alone.
   */
  owner: z.string().optional(),
  created_at: count.optional(),
  changed_at: count,
  /** Absent: as before. */
  metadata: z.record(z.string(), z.string()).optional(),
  kept: count.max(MAX_KEPT),
  /** Numbers of the items behind the kept ones. */
  items: z.array(count),
});
export type ConversationRecord = z.infer<typeof conversationRecord>;

const deletionRecord = z.object({ deleted: z.string() });

const record = z.union([itemRecord, conversationRecord, deletionRecord]);
export type JournalRecord = z.infer<typeof record>;

const records = z.array(record);

const numberedLine = z.object({ line: count, records });

export interface JournalLine {
  /** In the file, whose head is line 1; undefined in version 1. */
  readonly number: number | undefined;
  readonly records: readonly JournalRecord[];
}

/**
 * Checks the head of a file.
 * @throws {Error} for another format or version
 */
export function expectHead(line: unknown): void {
  const result = head.safeParse(line);
  if (!result.success) throw new Error(`expected ${HEAD_LINE.trim()}, got another format`);
  const { version } = result.data;
  if (version >= 1 && version <= FILE_VERSION) return;
  throw new Error(`expected version 1 to ${FILE_VERSION}, got ${version}`);
}

/**
 * A line of either version.
 * @throws {Error} naming the first invalid field
 */
export function parseLine(line: unknown): JournalLine {
  const result = Array.isArray(line) ? records.safeParse(line) : numberedLine.safeParse(line);
  if (result.success) {
    const { data } = result;
    return "line" in data
      ? { number: data.line, records: data.records }
      : { number: undefined, records: data };
  }
  const [issue] = result.error.issues;
  const path = z.core.toDotPath(issue?.path ?? []) || "top level";
  throw new Error(`${path}: ${issue?.message ?? "wrong shape"}`);
}

/** An item as it is written: by its number. */
export interface WrittenItem {
  readonly number: number;
  /** Of its record. */
  readonly bytes: number;
}

/** The line of some changes, and what becomes of the written items and conversations with it. */
export interface Group<Item extends KeptItem> {
  readonly line: readonly Buffer[];
  readonly lineBytes: number;
  /** Those that were not written before. */
  readonly items: ReadonlyMap<Item, WrittenItem>;
  /** Bytes of each conversation that is changed, as one record, more or less; of none that is removed. */
  readonly records: ReadonlyMap<string, number>;
}

interface WrittenSoFar<Item extends KeptItem> {
  /** Of the line to print. */
  readonly lineNumber: number;
  /** Undefined: the item is not written yet. */
  readonly numberOf: (item: Item) => number | undefined;
  /** What a conversation is in the file. */
  readonly find: (id: string) => Conversation<Item> | undefined;
  readonly nextNumber: () => number;
}

const SEPARATOR = Buffer.from(",");
const END = Buffer.from("]}\n");

const byteLength = (parts: readonly Buffer[]) => sumOf(parts, ({ length }) => length);

/** Prints changes as one line. */
export function toGroup<Item extends KeptItem>(
  changes: Changes<Item>,
  { lineNumber, numberOf, find, nextNumber }: WrittenSoFar<Item>,
): Group<Item> {
  const line = [Buffer.from(`{"line":${lineNumber},"records":[`)];
  let isFirst = true;
  const items = new Map<Item, WrittenItem>();
  const records = new Map<string, number>();
  const print = (entry: JournalRecord) => {
    const parts = jsonBytes(entry);
    if (!isFirst) line.push(SEPARATOR);
    isFirst = false;
    line.push(...parts);
    return byteLength(parts);
  };
  for (const [id, after] of changes) {
    if (after === undefined) {
      print({ deleted: id });
      continue;
    }
    const before = find(id);
    const kept = commonPrefix(before?.items ?? [], after.items);
    const numbers = after.items.slice(kept).map((item) => {
      const known = numberOf(item) ?? items.get(item)?.number;
      if (known !== undefined) return known;
      const number = nextNumber();
      items.set(item, { number, bytes: print({ item: number, value: item }) });
      return number;
    });
    print(toRecord(before, after, { kept, items: numbers }));
    records.set(id, wholeRecordBytes(after));
  }
  line.push(END);
  return { line, lineBytes: byteLength(line), items, records };
}

/** Bytes of a record beside its metadata and its items. */
const RECORD_FRAME_BYTES = 160;
/** Bytes of an item's number. */
const NUMBER_BYTES = 7;

function wholeRecordBytes({ metadata, items }: Conversation<KeptItem>): number {
  const metadataBytes = Buffer.byteLength(JSON.stringify(metadata));
  return RECORD_FRAME_BYTES + metadataBytes + NUMBER_BYTES * items.length;
}

function toRecord<Item extends KeptItem>(
  before: Conversation<Item> | undefined,
  { id, owner, createdAt, changedAt, metadata }: Conversation<Item>,
  place: Pick<ConversationRecord, "kept" | "items">,
): ConversationRecord {
  return {
    conversation: id,
    ...(owner !== "" && { owner }),
    created_at: createdAt,
    changed_at: changedAt,
    ...(before?.metadata !== metadata && { metadata }),
    ...place,
  };
}
