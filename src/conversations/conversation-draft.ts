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

/** Times of a conversation from elsewhere, in milliseconds since 1970. */
export interface ConversationTimes {
  /** @default the time of the last change */
  readonly createdAt?: number | undefined;
  /** @default the current time */
  readonly changedAt?: number | undefined;
}

/**
 * Draft of changes that are not durable yet, on top of the durable conversations. A refused change
 * leaves it unmodified.
 */
export class ConversationDraft<Item extends StoredItem> {
  readonly table: ConversationTable<Item>;
  readonly #options: DraftOptions;
  readonly #changes = new Map<string, Conversation<Item> | undefined>();
  /** Id of the conversation that has each change time of this draft. */
  readonly #changeTimes = new Map<number, string>();
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
   * @param times absent or in the future: the current time. The time of the last change is the
   *   nearest free one from the given one on.
   * @throws {GgufdError} `storage_quota_exceeded` for a conversation that exceeds its owner's whole
   *   quota
   */
  create(
    conversation: Pick<Conversation<Item>, "id" | "owner" | "metadata" | "items">,
    { createdAt, changedAt }: ConversationTimes = {},
  ): Conversation<Item> {
    const { now } = this.#options;
    const created = { ...conversation, createdAt: Math.min(createdAt ?? changedAt ?? now, now) };
    return this.#put(created, changedAt);
  }

  /**
   * @param changedAt time of the last change to record, as for {@link create}
   * @throws {GgufdError} as for {@link create}
   */
  replace(
    conversation: Conversation<Item>,
    change: Partial<Pick<Conversation<Item>, "metadata" | "items">>,
    changedAt?: number,
  ): Conversation<Item> {
    return this.#put({ ...conversation, ...change }, changedAt);
  }

  remove(id: string): void {
    this.#changes.delete(id);
    this.#changes.set(id, undefined);
  }

  #put(
    conversation: Omit<Conversation<Item>, "changedAt">,
    givenChangeTime?: number,
  ): Conversation<Item> {
    const { quota } = this.#options;
    const { id, owner, items } = conversation;
    const size = { items: items.length, bytes: this.table.bytesOf(conversation) };
    expectWithinQuota({ kind: "conversation", owner, quota, size });
    const changedAt = this.#findChangeTime(conversation, givenChangeTime);
    this.#lastChangeAt = Math.max(this.#lastChangeAt, changedAt);
    this.#changeTimes.set(changedAt, id);
    const changed = { ...conversation, changedAt };
    this.#changes.delete(id);
    this.#changes.set(id, changed);
    return changed;
  }

  #findChangeTime(
    { id, owner }: Pick<Conversation<Item>, "id" | "owner">,
    given: number | undefined,
  ): number {
    const { now } = this.#options;
    const next = Math.max(this.table.computeChangeTime(now), this.#lastChangeAt + 1);
    if (given === undefined || given >= now) return next;
    const isTaken = (time: number) =>
      (this.#changeTimes.get(time) ?? id) !== id ||
      (this.table.findByChangeTime(owner, time)?.id ?? id) !== id;
    let time = given;
    while (isTaken(time)) time++;
    return time;
  }
}
