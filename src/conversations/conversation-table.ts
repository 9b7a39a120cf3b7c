import assert from "node:assert/strict";
import { type EntryFacts, keysToEvict, type StoreLimits } from "../core/eviction.js";
import { storedBytes } from "../core/stored-bytes.js";
import { sumOf } from "../core/sum-of.js";
import type { Conversation, ConversationPage, KeptItem, PageQuery } from "./conversation.js";
import { SharedItems } from "./shared-items.js";

/** What becomes of conversations: by id, the new version; undefined: it is removed. */
export type Changes<Item extends KeptItem> = ReadonlyMap<string, Conversation<Item> | undefined>;

interface Entry<Item extends KeptItem> extends EntryFacts {
  /** Of what it has beside its items. */
  readonly headBytes: number;
  readonly conversation: Conversation<Item>;
}

/** The conversations of all owners, as readers see them. */
export class ConversationTable<Item extends KeptItem> {
  /** In the order of their last use, oldest first. */
  readonly #entries = new Map<string, Entry<Item>>();
  /** By owner, in the order of their last change, oldest first. */
  readonly #byChange = new Map<string, Conversation<Item>[]>();
  readonly #items = new SharedItems<Item>();
  #headBytes = 0;
  #lastChangeAt = 0;

  /** Of all conversations, as `storedBytes` estimates it; an item of several conversations counts once. */
  get bytes(): number {
    return this.#headBytes + this.#items.bytes;
  }

  /** Of one conversation, which may be a new version. */
  bytesOf({ items, ...head }: Omit<Conversation<Item>, "changedAt">): number {
    return storedBytes(head) + sumOf(items, (item) => this.#items.bytesOf(item));
  }

  /** A time after all changes so far, which is `now` unless the clock went back or changes follow each other closely. */
  changeTime(now: number): number {
    return Math.max(now, this.#lastChangeAt + 1);
  }

  find(id: string): Conversation<Item> | undefined {
    return this.#entries.get(id)?.conversation;
  }

  /** Those that were not used for longest come first. */
  all(): readonly Conversation<Item>[] {
    return Array.from(this.#entries.values(), ({ conversation }) => conversation);
  }

  markAsUsed(id: string, now: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#entries.set(id, { ...entry, usedAt: now });
  }

  /** Begins with these. Those that were not used for longest come first. */
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

  /** @returns the items that no conversation has any more */
  apply(changes: Changes<Item>, now: number): readonly Item[] {
    const gone = [...changes].flatMap(([id, conversation]) => this.#replace(id, conversation, now));
    // What one conversation let go, another of the same changes may have taken.
    return gone.filter((item) => !this.#items.has(item));
  }

  /**
   * Some of an owner's conversations, by their last change.
   * @returns undefined where `after` is none of them
   */
  page(owner: string, { limit, order, after }: PageQuery): ConversationPage<Item> | undefined {
    const all = this.#byChange.get(owner) ?? [];
    let skipped = 0;
    if (after !== undefined) {
      const found = this.find(after);
      if (found?.owner !== owner) return undefined;
      const index = placeOf(all, found.changedAt);
      skipped = order === "asc" ? index + 1 : all.length - index;
    }
    const end = all.length - skipped;
    const conversations =
      order === "asc"
        ? all.slice(skipped, skipped + limit)
        : all.slice(Math.max(0, end - limit), end).reverse();
    return { conversations, hasMore: skipped + limit < all.length };
  }

  /** The ids of those to drop, so that the others are within the limits. */
  excess(limits: StoreLimits, now: number): readonly string[] {
    const totals = { entries: this.#entries.size, bytes: this.bytes };
    return keysToEvict(this.#entries.values(), totals, limits, now);
  }

  #replace(id: string, after: Conversation<Item> | undefined, now: number): readonly Item[] {
    const before = this.#entries.get(id);
    if (before !== undefined) {
      this.#entries.delete(id);
      this.#headBytes -= before.headBytes;
      const { owner, changedAt } = before.conversation;
      const owned = this.#byChange.get(owner) ?? [];
      owned.splice(placeOf(owned, changedAt), 1);
      if (owned.length === 0) this.#byChange.delete(owner);
    }
    if (after !== undefined) {
      const bytes = this.bytesOf(after);
      const headBytes = this.bytesOf({ ...after, items: [] });
      this.#entries.set(id, { key: id, conversation: after, bytes, headBytes, usedAt: now });
      this.#headBytes += headBytes;
      const owned = this.#byChange.get(after.owner) ?? [];
      assert((owned.at(-1)?.changedAt ?? 0) < after.changedAt, "changes come in their order");
      owned.push(after);
      this.#byChange.set(after.owner, owned);
      this.#lastChangeAt = after.changedAt;
    }
    return this.#items.exchange(before?.conversation.items ?? [], after?.items ?? []);
  }
}

/** The index of the conversation that was last changed at a time, by bisection. */
function placeOf(
  conversations: readonly { readonly changedAt: number }[],
  changedAt: number,
): number {
  let [low, high] = [0, conversations.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((conversations[middle]?.changedAt ?? 0) < changedAt) low = middle + 1;
    else high = middle;
  }
  assert.equal(conversations[low]?.changedAt, changedAt, "it is one of them");
  return low;
}
