import type { StoreLimits } from "../core/eviction.js";
import { expectWithinQuota } from "../core/store-quota.js";
import type { Conversation, StoredItem } from "./conversation.js";
import type { Changes, ConversationTable } from "./conversation-table.js";

interface DraftOptions {
  /** Time of the changes, in milliseconds since 1970. */
  readonly now: number;
  /** Quota of each owner. */
  readonly quota: StoreLimits;
}

/**
 * Draft of changes that are not durable yet, on top of the durable conversations. A refused change
 * leaves it unmodified.
 */
export class ConversationDraft<Item extends StoredItem> {
  readonly table: ConversationTable<Item>;
  readonly #options: DraftOptions;
  readonly #changes = new Map<string, Conversation<Item> | undefined>();
  #lastChangeAt = 0;

  constructor(table: ConversationTable<Item>, options: DraftOptions) {
    this.table = table;
    this.#options = options;
  }

  /** Changes in the order in which they were made. */
  get changes(): Changes<Item> {
    return this.#changes;
  }

  /** Returns undefined if the conversation does not exist or belongs to another owner. */
  find(owner: string, id: string): Conversation<Item> | undefined {
    const found = this.#changes.has(id) ? this.#changes.get(id) : this.table.find(id);
    return found?.owner === owner ? found : undefined;
  }

  /**
   * @throws {GgufdError} `storage_quota_exceeded` for a conversation that exceeds its owner's whole
   *   quota
   */
  create(
    conversation: Pick<Conversation<Item>, "id" | "owner" | "metadata" | "items">,
  ): Conversation<Item> {
    return this.#put({ ...conversation, createdAt: this.#options.now });
  }

  /** @throws {GgufdError} as for {@link create} */
  replace(
    conversation: Conversation<Item>,
    change: Partial<Pick<Conversation<Item>, "metadata" | "items">>,
  ): Conversation<Item> {
    return this.#put({ ...conversation, ...change });
  }

  remove(id: string): void {
    this.#changes.delete(id);
    this.#changes.set(id, undefined);
  }

  #put(conversation: Omit<Conversation<Item>, "changedAt">): Conversation<Item> {
    const { now, quota } = this.#options;
    const { owner, items } = conversation;
    const size = { items: items.length, bytes: this.table.bytesOf(conversation) };
    expectWithinQuota({ kind: "conversation", owner, quota, size });
    this.#lastChangeAt = Math.max(this.table.computeChangeTime(now), this.#lastChangeAt + 1);
    const changed = { ...conversation, changedAt: this.#lastChangeAt };
    this.#changes.delete(conversation.id);
    this.#changes.set(conversation.id, changed);
    return changed;
  }
}
