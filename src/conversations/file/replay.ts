import { describeExcessNesting } from "../../core/json-size.js";
import type { Conversation, StoredItem } from "../conversation.js";
import {
  type ConversationRecord,
  expectHead,
  type JournalLine,
  type JournalRecord,
  parseLine,
} from "./journal-lines.js";

const LINE_BREAK = 0x0a;

/** Lines missing from a file, and the known consequences. */
export interface MissingLines {
  /** First and last line number of each gap. */
  readonly gaps: readonly (readonly [first: number, last: number])[];
  /**
   * Ids of conversations that lack items or metadata as a result. Others may lack a change or a
   * deletion.
   */
  readonly incomplete: readonly string[];
}

/** Content of a conversation file. */
export interface ReplayResult<Item extends StoredItem> {
  /** Ordered by their first record or change in the file. */
  readonly conversations: readonly Conversation<Item>[];
  /**
   * Length of the valid content; any remaining bytes are an incomplete group left by a power
   * failure.
   */
  readonly bytes: number;
  /** Greater than the number of any item. */
  readonly nextNumber: number;
  /** Number of the next line to append. */
  readonly nextLine: number;
  /** Undefined: no line is missing. */
  readonly missing: MissingLines | undefined;
}

/**
 * Reads a conversation file. An incomplete last line is ignored, because its change was never
 * acknowledged. Lines after missing ones are read as far as they do not depend on them.
 * @param parseItem converts plain data to an item, or throws
 * @throws {Error} naming the first invalid line and the reason
 */
export function replay<Item extends StoredItem>(
  file: Uint8Array,
  parseItem: (value: unknown) => Item,
): ReplayResult<Item> {
  const journal = new JournalReader(parseItem);
  let start = 0;
  for (let line = 1; start < file.length; line++) {
    const end = file.indexOf(LINE_BREAK, start);
    const bytes = file.subarray(start, end === -1 ? file.length : end);
    if (line > 1 && (end === -1 || (end === file.length - 1 && bytes.includes(0)))) break;
    try {
      const value = parseJson(bytes);
      if (line === 1) expectHead(value);
      else journal.readLine(parseLine(value));
      if (end === -1) throw new Error("expected a line break at its end");
    } catch (cause) {
      throw new Error(`line ${line}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    start = end + 1;
  }
  const { conversations, nextNumber, nextLine, missing } = journal;
  return { conversations, bytes: start, nextNumber, nextLine, missing };
}

function parseJson(bytes: Uint8Array): unknown {
  const nesting = describeExcessNesting(bytes);
  if (nesting !== undefined) throw new Error(nesting);
  // A lenient decoder would replace invalid bytes by U+FFFD, which the next compaction would
  // persist.
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

/**
 * A conversation being read. An item from a missing line leaves a hole, so that `kept` counts as
 * written.
 */
interface ReadConversation<Item extends StoredItem>
  extends Omit<Conversation<Item>, "items" | "metadata"> {
  readonly items: readonly (Item | undefined)[];
  /** Undefined: the metadata was in a missing line. */
  readonly metadata: Conversation<Item>["metadata"] | undefined;
}

class JournalReader<Item extends StoredItem> {
  readonly #parseItem: (value: unknown) => Item;
  readonly #items = new Map<number, Item>();
  readonly #conversations = new Map<string, ReadConversation<Item>>();
  readonly #gaps: (readonly [first: number, last: number])[] = [];
  nextNumber = 0;
  /** The line after the head. */
  nextLine = 2;

  constructor(parseItem: (value: unknown) => Item) {
    this.#parseItem = parseItem;
  }

  get conversations(): readonly Conversation<Item>[] {
    return Array.from(this.#conversations.values(), ({ items, metadata = {}, ...fields }) => ({
      ...fields,
      metadata,
      items: items.filter((item) => item !== undefined),
    }));
  }

  get missing(): MissingLines | undefined {
    if (this.#gaps.length === 0) return undefined;
    const incomplete = [...this.#conversations.values()].filter(
      ({ items, metadata }) => metadata === undefined || items.includes(undefined),
    );
    return { gaps: this.#gaps, incomplete: incomplete.map(({ id }) => id) };
  }

  readLine({ number = this.nextLine, records }: JournalLine): void {
    if (number < this.nextLine) {
      throw new Error(`line: expected at least ${this.nextLine}, got ${number}`);
    }
    if (number > this.nextLine) this.#gaps.push([this.nextLine, number - 1]);
    for (const record of records) this.#read(record);
    this.nextLine = number + 1;
  }

  #read(record: JournalRecord): void {
    if ("deleted" in record) {
      const { deleted: id } = record;
      if (!this.#conversations.delete(id)) this.#expectGap(createUnknownConversationError(id));
    } else if ("conversation" in record) {
      const { conversation: id } = record;
      const changed = this.#applyChange(record, this.#conversations.get(id));
      this.#conversations.delete(id);
      this.#conversations.set(id, changed);
    } else {
      if (this.#items.has(record.item)) throw new Error(`two items have the number ${record.item}`);
      this.#items.set(record.item, this.#parseItem(record.value));
      this.nextNumber = Math.max(this.nextNumber, record.item + 1);
    }
  }

  #applyChange(
    record: ConversationRecord,
    before: ReadConversation<Item> | undefined,
  ): ReadConversation<Item> {
    const { conversation: id, owner = "", created_at: createdAt, kept } = record;
    const base = before ?? (createdAt !== undefined && { id, owner, createdAt, items: [] });
    if (!base) throw createUnknownConversationError(id);
    const metadata = record.metadata ?? before?.metadata;
    if (metadata === undefined) this.#expectGap(createUnknownConversationError(id));
    const holeCount = Math.max(0, kept - base.items.length);
    if (holeCount > 0) {
      const got = base.items.length;
      const reason = `${id}: expected at least ${kept} items in the previous version, got ${got}`;
      this.#expectGap(new Error(reason));
    }
    const items = [
      ...base.items.slice(0, kept),
      ...new Array<undefined>(holeCount).fill(undefined),
      ...record.items.map((number) => this.#findItem(number)),
    ];
    return { ...base, changedAt: record.changed_at, metadata, items };
  }

  #findItem(number: number): Item | undefined {
    const item = this.#items.get(number);
    if (item !== undefined) return item;
    this.#expectGap(new Error(`expected an earlier item with the number ${number}, got none`));
    this.nextNumber = Math.max(this.nextNumber, number + 1);
    return undefined;
  }

  /** Permits a reference to a missing line. @throws {Error} if no line is missing */
  #expectGap(error: Error): void {
    if (this.#gaps.length === 0) throw error;
  }
}

function createUnknownConversationError(id: string): Error {
  return new Error(`there is no conversation ${id} before it`);
}
