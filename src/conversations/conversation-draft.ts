import type { StoreLimits } from "../core/eviction.js";
import { expectWithinQuota } from "../core/store-quota.js";
import type { Conversation, KeptItem } from "./conversation.js";
import type { Changes, ConversationTable } from "./conversation-table.js";

interface DraftOptions {
  /** The time of the changes, in milliseconds since 1970. */
  readonly now: number;
  /** What each owner may store. */
  readonly quota: StoreLimits;
}

/** Changes that are not durable yet, over the conversations that are. A change that is refused leaves it as it was. */
export class ConversationDraft<Item extends KeptItem> {
  readonly table: ConversationTable<Item>;
  readonly #options: DraftOptions;
  readonly #changes = new Map<string, Conversation<Item> | undefined>();
  #lastChangeAt = 0;

  constructor(table: ConversationTable<Item>, options: DraftOptions) {
    this.table = table;
    this.#options = options;
  }

  /** In the order of the changes. */
  get changes(): Changes<Item> {
    return this.#changes;
  }

  /** Undefined: there is none, or it is another owner's. */
  find(owner: string, id: string): Conversation<Item> | undefined {
    const found = this.#changes.has(id) ? this.#changes.get(id) : this.table.find(id);
    return found?.owner === owner ? found : undefined;
  }

  /** @throws {GgufdError} `storage_quota_exceeded` for one that is larger than all of its owner may be */
  create(
    conversation: Pick<Conversation<Item>, "id" | "owner" | "metadata" | "items">,
  ): Conversation<Item> {
    return this.#put({ ...conversation, createdAt: this.#options.now });
  }

  /** @throws {GgufdError} as {@link create} */
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
    this.#lastChangeAt = Math.max(this.table.changeTime(now), this.#lastChangeAt + 1);
    const changed = { ...conversation, changedAt: this.#lastChangeAt };
    this.#changes.delete(conversation.id);
    this.#changes.set(conversation.id, changed);
    return changed;
  }
}
