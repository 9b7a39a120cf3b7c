import { createShutdownError, GgufdError } from "../core/errors.js";
import type { StoreLimits } from "../core/eviction.js";
import {
  computeQuota,
  computeTotalLimits,
  expectWithinQuota,
  keylessOwners,
  type StoreOwners,
} from "../core/store-quota.js";
import { GroupCommit } from "../files/group-commit.js";
import type { Conversation, ConversationPage, PageQuery, StoredItem } from "./conversation.js";
import { ConversationDraft } from "./conversation-draft.js";
import { type Changes, ConversationTable } from "./conversation-table.js";
import { type FoundPage, type SearchQuery, searchConversations } from "./search-conversations.js";

/** Maximum length of the queue after the write in flight: some seconds of work on a slow disk. */
const MAX_QUEUED_CHANGES = 10_000;

/** Persistent storage of conversations. */
export interface ConversationStorage<Item extends StoredItem> {
  /**
   * Makes changes durable. Never called while an earlier call is pending.
   * @param table the conversations before the changes
   * @throws {GgufdError} `storage_full`, `storage_unavailable`, `internal_error`: none of the
   *   changes is stored
   */
  write(changes: Changes<Item>, table: ConversationTable<Item>): Promise<void>;
  /** Called with the items that no conversation references any more. */
  forget(items: readonly Item[]): void;
  /**
   * Frees the space of obsolete data once there is enough of it. Never called while a write is
   * pending.
   */
  compact(table: ConversationTable<Item>): Promise<void>;
  /** Called after the last write. */
  close(): Promise<void>;
}

/** Observes every change, in order. */
export type ConversationListener<Item extends StoredItem> = (
  before: Conversation<Item> | undefined,
  after: Conversation<Item> | undefined,
) => void;

export interface ConversationStoreOptions<Item extends StoredItem> {
  /** Limits of all owners together; each owner has a share. */
  readonly limits: StoreLimits;
  /** @default a single owner with an empty name */
  readonly owners?: StoreOwners;
  /** Initial conversations, least recently used first. @default none */
  readonly initial?: readonly Conversation<Item>[];
  /** @default conversations are kept in memory only */
  readonly storage?: ConversationStorage<Item>;
  /** Clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Called with the number of conversations that were evicted because of the limits. */
  readonly onDropped?: (conversations: number) => void;
  /** Called with the reason why obsolete conversations could not be dropped. */
  readonly onFailed?: (error: unknown) => void;
}

/** The conversations of all owners. A change is visible to readers only once it is durable. */
export class ConversationStore<Item extends StoredItem> {
  readonly #options: ConversationStoreOptions<Item>;
  readonly #now: () => number;
  readonly #owners: StoreOwners;
  readonly #table = new ConversationTable<Item>();
  readonly #commits: GroupCommit<ConversationDraft<Item>>;
  readonly #listeners: ConversationListener<Item>[] = [];
  /** Owners whose conversations may exceed their quota. */
  readonly #grownOwners = new Set<string>();
  #state: "open" | "closed" = "open";
  /** Settled when no search is running: one at a time, so that many do not slow down the server. */
  #lastSearch: Promise<unknown> = Promise.resolve();
  #evictionState: "not" | "in-progress" = "not";

  constructor(options: ConversationStoreOptions<Item>) {
    const { initial = [], owners = keylessOwners, storage, now = Date.now } = options;
    this.#options = options;
    this.#owners = owners;
    this.#now = now;
    this.#table.load(initial, now());
    const newDraft = () => new ConversationDraft(this.#table, { now: now(), quota: this.#quota });
    this.#commits = new GroupCommit({
      initial: newDraft(),
      createDraft: newDraft,
      isChanged: ({ changes }) => changes.size > 0,
      persist: async ({ changes }) => {
        await storage?.write(changes, this.#table);
        this.#apply(changes);
        await storage?.compact(this.#table).catch((error) => this.#options.onFailed?.(error));
      },
      isDueToSize: (failure) => failure instanceof GgufdError && failure.code === "storage_full",
    });
  }

  /** Calls a listener with each existing conversation, and with each later change. */
  follow(listener: ConversationListener<Item>): void {
    for (const conversation of this.#table.all()) listener(undefined, conversation);
    this.#listeners.push(listener);
  }

  /** Finds a conversation of an owner and marks it as used. */
  find(owner: string, id: string): Conversation<Item> | undefined {
    this.#dropIdle();
    const found = this.#table.find(id);
    if (found?.owner !== owner) return undefined;
    this.#table.markAsUsed(id, this.#now());
    return found;
  }

  /**
   * Checks that a conversation with further items fits into its owner's quota, regardless of the
   * owner's other conversations.
   * @throws {GgufdError} `storage_quota_exceeded`
   */
  expectRoomFor(conversation: Conversation<Item>, addedItems: readonly Item[]): void {
    const { owner } = conversation;
    const items = [...conversation.items, ...addedItems];
    const size = { items: items.length, bytes: this.#table.bytesOf({ ...conversation, items }) };
    expectWithinQuota({ kind: "conversation", owner, quota: this.#quota, size });
  }

  /** @returns undefined if `after` is not a conversation of the owner */
  readPage(owner: string, query: PageQuery): ConversationPage<Item> | undefined {
    this.#dropIdle();
    return this.#table.readPage(owner, query);
  }

  /**
   * Searches an owner's conversations, in the order of {@link readPage}.
   * @param signal ends the search early, with an incomplete page
   * @returns undefined if `after` is not a conversation of the owner
   */
  async search(
    owner: string,
    { order, after, ...query }: SearchQuery<Item> & PageQuery,
    signal?: AbortSignal,
  ): Promise<FoundPage<Item> | undefined> {
    const run = this.#lastSearch.then(async () => {
      const page = this.readPage(owner, { order, after, limit: Number.POSITIVE_INFINITY });
      if (page === undefined) return undefined;
      const { found, hasMore } = await searchConversations(page.conversations, query, signal);
      // Without conversations that were deleted meanwhile.
      return { found: found.filter(({ conversation: { id } }) => this.#table.find(id)), hasMore };
    });
    this.#lastSearch = run.catch(() => undefined);
    return run;
  }

  /**
   * Applies a change and resolves with its result once that is durable. A change is refused by
   * throwing.
   * @throws {GgufdError} the change's own error, `storage_quota_exceeded`, `storage_full`,
   *   `storage_unavailable`, `too_many_changes`, `shutting_down`
   */
  async change<Result>(change: (draft: ConversationDraft<Item>) => Result): Promise<Result> {
    if (this.#state === "closed") throw createShutdownError();
    if (this.#commits.queueLength >= MAX_QUEUED_CHANGES) {
      throw new GgufdError(
        "too_many_changes",
        `Expected at most ${MAX_QUEUED_CHANGES} changes to wait for the disk, got one more.`,
        { retryAfterSeconds: 1 },
      );
    }
    const result = await this.#commits.submit(change);
    void this.#dropExcess();
    return result;
  }

  /** Refuses further changes and resolves when earlier ones are settled. */
  async close(): Promise<void> {
    this.#state = "closed";
    await this.#commits.whenSettled();
    await this.#options.storage?.close();
  }

  /** Quota of one owner. */
  get #quota(): StoreLimits {
    return computeQuota(this.#options.limits, this.#owners.count());
  }

  /** Drops idle conversations if they are kept in memory only. */
  #dropIdle(): void {
    const { storage, limits } = this.#options;
    if (storage !== undefined) return;
    const idle = this.#table.findIdle(limits.idleMs, this.#now());
    if (idle.length > 0) this.#apply(toRemovals(idle));
  }

  /**
   * Repeats while conversations exceed their limits, because dropped ones may share items with the
   * remaining ones.
   */
  async #dropExcess(): Promise<void> {
    if (this.#evictionState === "in-progress") return;
    this.#evictionState = "in-progress";
    try {
      while (this.#state === "open" && this.#findExcess().length > 0) {
        const dropped = await this.#commits.submit((draft) => {
          // A conversation that has just been changed counts as used.
          const unused = this.#findExcess().filter((id) => !draft.changes.has(id));
          for (const id of unused) draft.remove(id);
          return unused.length;
        });
        if (dropped > 0) this.#options.onDropped?.(dropped);
      }
    } catch (error) {
      this.#options.onFailed?.(error);
    }
    this.#evictionState = "not";
  }

  /**
   * Ids of conversations to evict: beyond the quotas of owners whose conversations have grown, else
   * of owners that no longer exist.
   */
  #findExcess(): readonly string[] {
    const [quota, now] = [this.#quota, this.#now()];
    const excess: string[] = [];
    for (const owner of this.#grownOwners) {
      const ownerExcess = this.#table.excessOf(owner, quota, now);
      if (ownerExcess.length === 0) this.#grownOwners.delete(owner);
      excess.push(...ownerExcess);
    }
    if (excess.length > 0) return excess;
    const total = computeTotalLimits(this.#options.limits, this.#owners.count());
    return this.#table.excessOfFormerOwners((name) => this.#owners.has(name), total, now);
  }

  #apply(changes: Changes<Item>): void {
    const before = new Map([...changes.keys()].map((id) => [id, this.#table.find(id)]));
    for (const after of changes.values())
      if (after !== undefined) this.#grownOwners.add(after.owner);
    const releasedItems = this.#table.apply(changes, this.#now());
    this.#options.storage?.forget(releasedItems);
    for (const listener of this.#listeners) {
      for (const [id, after] of changes) listener(before.get(id), after);
    }
  }
}

function toRemovals(ids: readonly string[]): Changes<never> {
  return new Map(ids.map((id) => [id, undefined]));
}
