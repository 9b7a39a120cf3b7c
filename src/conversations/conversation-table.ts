import assert from "node:assert/strict";
import {
  isWithin,
  type StoreLimits,
  type StoreSize,
  selectIdleKeys,
  selectKeysToEvict,
} from "../core/eviction.js";
import { estimateStoredBytes } from "../core/stored-bytes.js";
import { sumBy } from "../core/sum-by.js";
import { type OwnedEntry, UseOrder } from "../core/use-order.js";
import type { Conversation, ConversationPage, PageQuery, StoredItem } from "./conversation.js";
import { SharedItems } from "./shared-items.js";

/** Changes by conversation id: the new version, or undefined to remove the conversation. */
export type Changes<Item extends StoredItem> = ReadonlyMap<string, Conversation<Item> | undefined>;

interface Entry<Item extends StoredItem> extends OwnedEntry {
  /** Size of the conversation without its items. */
  readonly headBytes: number;
  readonly conversation: Conversation<Item>;
}

/** The conversations of one owner. */
interface OwnerRecord<Item extends StoredItem> {
  /** Ordered by last change, oldest first. */
  readonly byChange: Conversation<Item>[];
  readonly items: SharedItems<Item>;
  headBytes: number;
}

/** The conversations of all owners, as readers see them. */
export class ConversationTable<Item extends StoredItem> {
  readonly #entries = new UseOrder<Entry<Item>>();
  readonly #recordsByOwner = new Map<string, OwnerRecord<Item>>();
  #lastChangeAt = 0;

  /**
   * Size of an owner's conversations. An item shared by several conversations counts once in bytes.
   */
  sizeOf(owner: string): StoreSize {
    const { headBytes, items } = this.#getOrCreateRecord(owner);
    return { ...this.#entries.sizeOf(owner), bytes: headBytes + items.bytes };
  }

  /** Size of a conversation, whether or not this version of it is in the table. */
  bytesOf({ items, ...head }: Omit<Conversation<Item>, "changedAt">): number {
    const knownItems = this.#recordsByOwner.get(head.owner)?.items;
    const bytesOfItem = (item: Item) => knownItems?.bytesOf(item) ?? estimateStoredBytes(item);
    return estimateStoredBytes(head) + sumBy(items, bytesOfItem);
  }

  /**
   * Returns a time after all changes so far: `now`, unless the clock went back or changes follow
   * each other closely.
   */
  computeChangeTime(now: number): number {
    return Math.max(now, this.#lastChangeAt + 1);
  }

  find(id: string): Conversation<Item> | undefined {
    return this.#entries.get(id)?.conversation;
  }

  /** Finds the conversation of an owner that was last changed at a given time. */
  findByChangeTime(owner: string, changedAt: number): Conversation<Item> | undefined {
    const conversations = this.#recordsByOwner.get(owner)?.byChange ?? [];
    const found = conversations[findFirstChangeSince(conversations, changedAt)];
    return found?.changedAt === changedAt ? found : undefined;
  }

  /** All conversations, least recently used first. */
  all(): readonly Conversation<Item>[] {
    return Array.from(this.#entries.listEntries(), ({ conversation }) => conversation);
  }

  markAsUsed(id: string, now: number): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.put({ ...entry, usedAt: now });
  }

  /**
   * Fills the empty table.
   * @param conversations least recently used first
   */
  load(conversations: readonly Conversation<Item>[], now: number): void {
    let changedAt = 0;
    const byChange = conversations
      .toSorted((a, b) => a.changedAt - b.changedAt)
      .map((conversation): [string, Conversation<Item>] => {
        changedAt = Math.max(conversation.changedAt, changedAt + 1);
        return [conversation.id, { ...conversation, changedAt }];
      });
    this.apply(new Map(byChange), now);
    for (const { id } of conversations) this.markAsUsed(id, now);
  }

  /** @returns the items that no conversation references any more */
  apply(changes: Changes<Item>, now: number): readonly Item[] {
    const released = [...changes].map(([id, conversation]) => {
      const owner = conversation?.owner ?? this.find(id)?.owner ?? "";
      return { owner, items: this.#replace(id, conversation, now) };
    });
    // An item released by one conversation may be referenced by another one of the same changes.
    return released.flatMap(({ owner, items }) => {
      const ownerItems = this.#getOrCreateRecord(owner).items;
      return items.filter((item) => !ownerItems.has(item));
    });
  }

  /**
   * Returns a page of an owner's conversations, ordered by last change.
   * @returns undefined if `after` is not among them
   */
  readPage(owner: string, { limit, order, after }: PageQuery): ConversationPage<Item> | undefined {
    const ownerConversations = this.#recordsByOwner.get(owner)?.byChange ?? [];
    let skipped = 0;
    if (after !== undefined) {
      const found = this.find(after);
      if (found?.owner !== owner) return undefined;
      const index = findChangeIndex(ownerConversations, found.changedAt);
      skipped = order === "asc" ? index + 1 : ownerConversations.length - index;
    }
    const end = ownerConversations.length - skipped;
    const conversations =
      order === "asc"
        ? ownerConversations.slice(skipped, skipped + limit)
        : ownerConversations.slice(Math.max(0, end - limit), end).reverse();
    return { conversations, hasMore: skipped + limit < ownerConversations.length };
  }

  /** Ids of an owner's conversations to evict so that the others are within the limits. */
  excessOf(owner: string, limits: StoreLimits, now: number): readonly string[] {
    return selectKeysToEvict(this.#entries.entriesOf(owner), this.sizeOf(owner), limits, now);
  }

  /** Ids of all conversations that have been idle for longer than the limit. */
  findIdle(idleMs: number, now: number): readonly string[] {
    return selectIdleKeys(idleMs, this.#entries.listEntries(), now);
  }

  /**
   * Finds conversations to evict so that all conversations of former owners together are within
   * the limits. A former owner is one whose API key no longer exists.
   * @returns their ids
   */
  excessOfFormerOwners(isOwner: (name: string) => boolean, limits: StoreLimits, now: number) {
    let size = NOTHING;
    for (const owner of this.#entries.owners()) size = sum(size, this.sizeOf(owner), 1);
    const excess: string[] = [];
    for (const owner of this.#entries.owners()) {
      if (isWithin(size, limits)) break;
      if (isOwner(owner)) continue;
      const dropped = selectKeysToEvict(this.#entries.entriesOf(owner), size, limits, now);
      for (const id of dropped) size = sum(size, this.#sizeOfEntry(id), -1);
      excess.push(...dropped);
    }
    return excess;
  }

  #sizeOfEntry(id: string): StoreSize {
    const entry = this.#entries.get(id);
    return entry === undefined ? NOTHING : { ...entry, entries: 1 };
  }

  #getOrCreateRecord(owner: string): OwnerRecord<Item> {
    const known = this.#recordsByOwner.get(owner);
    if (known !== undefined) return known;
    const owned = { byChange: [], items: new SharedItems<Item>(), headBytes: 0 };
    this.#recordsByOwner.set(owner, owned);
    return owned;
  }

  /** @returns the items that the conversation no longer has */
  #replace(id: string, after: Conversation<Item> | undefined, now: number): readonly Item[] {
    const before = this.#entries.delete(id);
    const owner = after?.owner ?? before?.owner;
    if (owner === undefined) return [];
    assert(
      before === undefined || before.owner === owner,
      "expected the owner of a conversation not to change",
    );
    const owned = this.#getOrCreateRecord(owner);
    if (before !== undefined) {
      owned.headBytes -= before.headBytes;
      owned.byChange.splice(findChangeIndex(owned.byChange, before.conversation.changedAt), 1);
    }
    if (after !== undefined) {
      const bytes = this.bytesOf(after);
      const headBytes = this.bytesOf({ ...after, items: [] });
      const facts = { key: id, owner, items: after.items.length, bytes, usedAt: now };
      this.#entries.put({ ...facts, conversation: after, headBytes });
      owned.headBytes += headBytes;
      const index = findFirstChangeSince(owned.byChange, after.changedAt);
      assert(
        owned.byChange[index]?.changedAt !== after.changedAt,
        "expected a change time that no other conversation has",
      );
      owned.byChange.splice(index, 0, after);
      this.#lastChangeAt = Math.max(this.#lastChangeAt, after.changedAt);
    }
    return owned.items.exchange(before?.conversation.items ?? [], after?.items ?? []);
  }
}

const NOTHING: StoreSize = { entries: 0, items: 0, bytes: 0 };

function sum(a: StoreSize, b: StoreSize, sign: 1 | -1): StoreSize {
  return {
    entries: a.entries + sign * b.entries,
    items: a.items + sign * b.items,
    bytes: a.bytes + sign * b.bytes,
  };
}

type ByChange = readonly { readonly changedAt: number }[];

/** Finds the index of the conversation changed at a given time. */
function findChangeIndex(conversations: ByChange, changedAt: number): number {
  const index = findFirstChangeSince(conversations, changedAt);
  assert.equal(conversations[index]?.changedAt, changedAt, "expected the conversation in the list");
  return index;
}

/**
 * Finds the index of the first conversation changed at a given time or later, by binary search; the
 * length of the list if there is none.
 */
function findFirstChangeSince(conversations: ByChange, changedAt: number): number {
  const last = conversations.at(-1);
  if (last === undefined || last.changedAt < changedAt) return conversations.length;
  let [low, high] = [0, conversations.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((conversations[middle]?.changedAt ?? 0) < changedAt) low = middle + 1;
    else high = middle;
  }
  return low;
}
