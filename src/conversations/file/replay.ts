import { excessNesting } from "../../core/json-size.js";
import type { Conversation, KeptItem } from "../conversation.js";
import {
  type ConversationRecord,
  expectHead,
  type JournalRecord,
  parseLine,
} from "./journal-lines.js";

const LINE_BREAK = 0x0a;

/** What a file says. */
export interface Replayed<Item extends KeptItem> {
  /** Those that were changed or written first come first. */
  readonly conversations: readonly Conversation<Item>[];
  /** Length of what was read: behind it is what a power failure has left of a group, or nothing. */
  readonly bytes: number;
  /** No item has this number, or a larger one. */
  readonly nextNumber: number;
}

/**
 * Reads a file of conversations. A last line that was not written to its end is left out: nobody was told that it was
 * stored.
 * @param parseItem makes an item of plain data, or throws
 * @throws {Error} naming the first line that is wrong, and why
 */
export function replay<Item extends KeptItem>(
  file: Uint8Array,
  parseItem: (value: unknown) => Item,
): Replayed<Item> {
  const journal = new JournalReader(parseItem);
  let start = 0;
  for (let line = 1; start < file.length; line++) {
    const end = file.indexOf(LINE_BREAK, start);
    const bytes = file.subarray(start, end === -1 ? file.length : end);
    if (line > 1 && (end === -1 || (end === file.length - 1 && bytes.includes(0)))) break;
    try {
      const value = parseJson(bytes);
      if (line === 1) expectHead(value);
      else for (const record of parseLine(value)) journal.read(record);
      if (end === -1) throw new Error("expected a line break at its end");
    } catch (cause) {
      throw new Error(`line ${line}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    start = end + 1;
  }
  return { conversations: journal.conversations, bytes: start, nextNumber: journal.nextNumber };
}

function parseJson(bytes: Uint8Array): unknown {
  const nesting = excessNesting(bytes);
  if (nesting !== undefined) throw new Error(nesting);
  // A lenient decoder would replace invalid bytes by U+FFFD, and the next compaction keep that.
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

class JournalReader<Item extends KeptItem> {
  readonly #parseItem: (value: unknown) => Item;
  readonly #items = new Map<number, Item>();
  readonly #conversations = new Map<string, Conversation<Item>>();
  nextNumber = 0;

  constructor(parseItem: (value: unknown) => Item) {
    this.#parseItem = parseItem;
  }

  get conversations(): readonly Conversation<Item>[] {
    return [...this.#conversations.values()];
  }

  read(record: JournalRecord): void {
    if ("deleted" in record) {
      if (!this.#conversations.delete(record.deleted)) throw unknownConversation(record.deleted);
    } else if ("conversation" in record) {
      const { conversation: id } = record;
      const changed = this.#changed(record, this.#conversations.get(id));
      this.#conversations.delete(id);
      this.#conversations.set(id, changed);
    } else {
      if (this.#items.has(record.item)) throw new Error(`two items have the number ${record.item}`);
      this.#items.set(record.item, this.#parseItem(record.value));
      this.nextNumber = Math.max(this.nextNumber, record.item + 1);
    }
  }

  #changed(record: ConversationRecord, before: Conversation<Item> | undefined): Conversation<Item> {
    const { conversation: id, owner = "", created_at: createdAt, kept } = record;
    const metadata = record.metadata ?? before?.metadata;
    const first = before ?? (createdAt !== undefined && { id, owner, createdAt, items: [] });
    if (!first || metadata === undefined) throw unknownConversation(id);
    if (kept > first.items.length) {
      throw new Error(`${id}: expected at least ${kept} items before, got ${first.items.length}`);
    }
    const added = record.items.map((number) => this.#item(number));
    const items = [...first.items.slice(0, kept), ...added];
    return { ...first, changedAt: record.changed_at, metadata, items };
  }

  #item(number: number): Item {
    const item = this.#items.get(number);
    if (item === undefined) throw new Error(`there is no item before it with the number ${number}`);
    return item;
  }
}

function unknownConversation(id: string): Error {
  return new Error(`there is no conversation ${id} before it`);
}
