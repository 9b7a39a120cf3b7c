import { z } from "zod";
import { sumBy } from "../../core/sum-by.js";
import type { Conversation, StoredItem } from "../conversation.js";
import type { Changes } from "../conversation-table.js";
import { countCommonPrefix } from "../shared-items.js";
import { toJsonBytes } from "./json-bytes.js";

/*
 * The file is JSON Lines: a head, then one line per group of changes. A line is written as a whole,
 * and after a power failure it is either complete or absent. It contains its line number and an
 * array of records. An item has a number that is unique in the file and by which conversations
 * refer to it, so an item shared by several conversations is written once.
 *
 * In version 1 a line was only the array of records.
 */

const FILE_VERSION = 2;
const FORMAT = "ggufd conversations";

export const HEAD_LINE = `${JSON.stringify({ format: FORMAT, version: FILE_VERSION })}\n`;

const count = z.int().nonnegative();

const head = z.object({ format: z.literal(FORMAT), version: z.int() });

const itemRecord = z.object({ item: count, value: z.unknown() });

/** More items than a conversation can have. */
const MAX_KEPT = 10_000_000;

/**
 * A new version of a conversation, which keeps the given number of leading items of the previous
 * version.
 */
const conversationRecord = z.object({
  conversation: z.string(),
  /**
   * Absent: the server had no keys. Repeated in each version, so that a conversation whose first
   * line is missing still has its owner. In version 1 only the first record had the owner and the
   * creation time.
   */
  owner: z.string().optional(),
  created_at: count.optional(),
  changed_at: count,
  /** Absent: unchanged. */
  metadata: z.record(z.string(), z.string()).optional(),
  kept: count.max(MAX_KEPT),
  /** Numbers of the items that follow the kept ones. */
  items: z.array(count),
});
export type ConversationRecord = z.infer<typeof conversationRecord>;

const deletionRecord = z.object({ deleted: z.string() });

const record = z.union([itemRecord, conversationRecord, deletionRecord]);
export type JournalRecord = z.infer<typeof record>;

const records = z.array(record);

const numberedLine = z.object({ line: count, records });

export interface JournalLine {
  /** Line number in the file, whose head is line 1; undefined in version 1. */
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
 * Parses a line of either version.
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

/** An item in the file, referenced by its number. */
export interface WrittenItem {
  readonly number: number;
  /** Size of the item's record. */
  readonly bytes: number;
}

/** A line for some changes, with the resulting items and sizes of conversations. */
export interface Group<Item extends StoredItem> {
  readonly line: readonly Buffer[];
  readonly lineBytes: number;
  /** Items written for the first time. */
  readonly items: ReadonlyMap<Item, WrittenItem>;
  /**
   * Approximate size of each changed conversation as a single record; removed ones have no entry.
   */
  readonly records: ReadonlyMap<string, number>;
}

interface JournalState<Item extends StoredItem> {
  /** Number of the line to print. */
  readonly lineNumber: number;
  /** Undefined: the item is not in the file yet. */
  readonly numberOf: (item: Item) => number | undefined;
  /** Returns a conversation as it is in the file. */
  readonly find: (id: string) => Conversation<Item> | undefined;
  readonly nextNumber: () => number;
}

const SEPARATOR = Buffer.from(",");
const END = Buffer.from("]}\n");

const sumByteLengths = (parts: readonly Buffer[]) => sumBy(parts, ({ length }) => length);

/** Serialises changes as one line. */
export function toGroup<Item extends StoredItem>(
  changes: Changes<Item>,
  { lineNumber, numberOf, find, nextNumber }: JournalState<Item>,
): Group<Item> {
  const line = [Buffer.from(`{"line":${lineNumber},"records":[`)];
  let isFirst = true;
  const items = new Map<Item, WrittenItem>();
  const records = new Map<string, number>();
  const print = (entry: JournalRecord) => {
    const parts = toJsonBytes(entry);
    if (!isFirst) line.push(SEPARATOR);
    isFirst = false;
    line.push(...parts);
    return sumByteLengths(parts);
  };
  for (const [id, after] of changes) {
    if (after === undefined) {
      print({ deleted: id });
      continue;
    }
    const before = find(id);
    const kept = countCommonPrefix(before?.items ?? [], after.items);
    const numbers = after.items.slice(kept).map((item) => {
      const knownNumber = numberOf(item) ?? items.get(item)?.number;
      if (knownNumber !== undefined) return knownNumber;
      const number = nextNumber();
      items.set(item, { number, bytes: print({ item: number, value: item }) });
      return number;
    });
    print(toRecord(before, after, { kept, items: numbers }));
    records.set(id, estimateRecordBytes(after));
  }
  line.push(END);
  return { line, lineBytes: sumByteLengths(line), items, records };
}

/** Size of a record without its metadata and items. */
const RECORD_FRAME_BYTES = 160;
/** Size of an item's number. */
const NUMBER_BYTES = 7;

function estimateRecordBytes({ metadata, items }: Conversation<StoredItem>): number {
  const metadataBytes = Buffer.byteLength(JSON.stringify(metadata));
  return RECORD_FRAME_BYTES + metadataBytes + NUMBER_BYTES * items.length;
}

function toRecord<Item extends StoredItem>(
  before: Conversation<Item> | undefined,
  { id, owner, createdAt, changedAt, metadata }: Conversation<Item>,
  itemFields: Pick<ConversationRecord, "kept" | "items">,
): ConversationRecord {
  return {
    conversation: id,
    ...(owner !== "" && { owner }),
    created_at: createdAt,
    changed_at: changedAt,
    ...(before?.metadata !== metadata && { metadata }),
    ...itemFields,
  };
}
