import { z } from "zod";
import type { Conversation, KeptItem } from "../conversation.js";
import type { Changes } from "../conversation-table.js";
import { commonPrefix } from "../shared-items.js";

/*
 * The file is JSON, line by line: a head, then one line for each group of changes, which is written, and after a power
 * failure there, as a whole. A line is an array of records. An item has a number of the file's own, by which
 * conversations refer to it: what several of them share is written once.
 */

const FILE_VERSION = 1;
const FORMAT = "ggufd conversations";

export const HEAD_LINE = `${JSON.stringify({ format: FORMAT, version: FILE_VERSION })}\n`;

const count = z.int().nonnegative();

const head = z.object({ format: z.literal(FORMAT), version: z.int() });

const itemRecord = z.object({ item: count, value: z.unknown() });

/** A new version of a conversation, which keeps so many leading items of the last one. */
const conversationRecord = z.object({
  conversation: z.string(),
  /** Absent: the server had no keys. Absent beside what `kept` repeats, too. */
  owner: z.string().optional(),
  created_at: count.optional(),
  changed_at: count,
  /** Absent: as before. */
  metadata: z.record(z.string(), z.string()).optional(),
  kept: count,
  /** Numbers of the items behind the kept ones. */
  items: z.array(count),
});
export type ConversationRecord = z.infer<typeof conversationRecord>;

const deletionRecord = z.object({ deleted: z.string() });

const record = z.union([itemRecord, conversationRecord, deletionRecord]);
export type JournalRecord = z.infer<typeof record>;

const records = z.array(record);

/**
 * Checks the head of a file.
 * @throws {Error} for another format or version
 */
export function expectHead(line: unknown): void {
  const result = head.safeParse(line);
  if (!result.success) throw new Error(`expected ${HEAD_LINE.trim()}, got another format`);
  const { version } = result.data;
  if (version !== FILE_VERSION) throw new Error(`expected version ${FILE_VERSION}, got ${version}`);
}

/**
 * The records of a line.
 * @throws {Error} naming the first invalid field
 */
export function parseLine(line: unknown): readonly JournalRecord[] {
  const result = records.safeParse(line);
  if (result.success) return result.data;
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
  readonly line: Buffer;
  /** Those that were not written before. */
  readonly items: ReadonlyMap<Item, WrittenItem>;
  /** Bytes of each conversation that is changed, as one record, more or less; of none that is removed. */
  readonly records: ReadonlyMap<string, number>;
}

interface WrittenSoFar<Item extends KeptItem> {
  /** Undefined: the item is not written yet. */
  readonly numberOf: (item: Item) => number | undefined;
  /** What a conversation is in the file. */
  readonly find: (id: string) => Conversation<Item> | undefined;
  readonly nextNumber: () => number;
}

/** Prints changes as one line. */
export function toGroup<Item extends KeptItem>(
  changes: Changes<Item>,
  { numberOf, find, nextNumber }: WrittenSoFar<Item>,
): Group<Item> {
  const parts: Buffer[] = [];
  const items = new Map<Item, WrittenItem>();
  const records = new Map<string, number>();
  const print = (entry: JournalRecord) => {
    const part = Buffer.from(`${parts.length === 0 ? "[" : ","}${JSON.stringify(entry)}`);
    parts.push(part);
    return part.length;
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
  return { line: Buffer.concat([...parts, Buffer.from("]\n")]), items, records };
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
    ...(before === undefined && {
      ...(owner !== "" && { owner }),
      created_at: createdAt,
    }),
    changed_at: changedAt,
    ...(before?.metadata !== metadata && { metadata }),
    ...place,
  };
}
