import type { Conversation, PageQuery } from "../../conversations/conversation.js";
import type { ConversationTimes } from "../../conversations/conversation-draft.js";
import type { ConversationStore } from "../../conversations/conversation-store.js";
import type { FoundPage, SearchQuery } from "../../conversations/search-conversations.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";
import type { Owner } from "../fields/owner.js";
import { rejectLongConversation } from "./conversation-items.js";
import { createId } from "./create-id.js";
import type { StoredItem } from "./item-schema.js";
import { createNotStoredError } from "./response-store.js";

export type StoredConversation = Conversation<StoredItem>;

/**
 * Conversations of one owner. If conversations are durable, every change is durable when its
 * promise resolves.
 */
export class OwnedConversations {
  readonly #owner: Owner;
  readonly #store: ConversationStore<StoredItem>;

  constructor(owner: Owner, store: ConversationStore<StoredItem>) {
    this.#owner = owner;
    this.#store = store;
  }

  /** @throws {GgufdError} `not_found` */
  get(id: string): StoredConversation {
    const found = this.#store.find(this.#owner, id);
    if (found === undefined) throw createNotStoredError("Conversation", id);
    return found;
  }

  /**
   * @throws {GgufdError} `invalid_request` if `after` is not the id of one of the owner's
   *   conversations
   */
  page(query: PageQuery) {
    const page = this.#store.readPage(this.#owner, query);
    if (page !== undefined) return page;
    throw createUnknownCursorError(query);
  }

  /** @throws {GgufdError} as for {@link page} */
  async search(
    query: SearchQuery<StoredItem> & PageQuery,
    signal: AbortSignal,
  ): Promise<FoundPage<StoredItem>> {
    const page = await this.#store.search(this.#owner, query, signal);
    if (page !== undefined) return page;
    throw createUnknownCursorError(query);
  }

  /**
   * Checks that a conversation stays within the storage quota with the added items.
   * @throws {GgufdError} `not_found`, `storage_quota_exceeded`
   */
  expectRoomFor(id: string, added: readonly StoredItem[]): void {
    this.#store.expectRoomFor(this.get(id), added);
  }

  create(
    content: Pick<StoredConversation, "metadata" | "items">,
    times?: ConversationTimes,
  ): Promise<StoredConversation> {
    const created = { ...content, id: createId("conv"), owner: this.#owner };
    return this.#store.change((draft) => draft.create(created, times));
  }

  /**
   * @param updatedAt time of the last change to record, in Unix seconds; undefined: the current time
   * @throws {GgufdError} `not_found`
   */
  replaceMetadata(
    id: string,
    metadata: StoredConversation["metadata"],
    updatedAt?: number,
  ): Promise<StoredConversation> {
    return this.#change(
      id,
      () => ({ metadata }),
      // A client knows only the seconds of the present time.
      ({ changedAt }) =>
        updatedAt === Math.floor(changedAt / 1000) ? changedAt : toMilliseconds(updatedAt),
    );
  }

  /**
   * @throws {GgufdError} `not_found`; `invalid_request` for a conversation that becomes too long
   */
  addItems(id: string, added: readonly StoredItem[]): Promise<StoredConversation> {
    return this.#change(id, ({ items }) => {
      rejectLongConversation(items, added, "items");
      return { items: [...items, ...added] };
    });
  }

  /**
   * Adds the input and output of a response, even if the conversation becomes too long.
   * @param replaced items that the added ones replace
   * @throws {GgufdError} `not_found`: the conversation was deleted meanwhile
   */
  addResponse(
    id: string,
    added: readonly StoredItem[],
    replaced: readonly StoredItem[] = [],
  ): Promise<StoredConversation> {
    const replacedIds = new Set(replaced.map((item) => item.id));
    return this.#change(id, ({ items }) => ({
      items: [...items.filter((item) => !replacedIds.has(item.id)), ...added],
    }));
  }

  /** @throws {GgufdError} `not_found` */
  removeItem(id: string, itemId: string): Promise<StoredConversation> {
    return this.#change(id, (conversation) => {
      const removed = itemOf(conversation, itemId);
      return { items: conversation.items.filter((item) => item !== removed) };
    });
  }

  /** @throws {GgufdError} `not_found` */
  remove(id: string): Promise<void> {
    return this.#store.change((draft) => {
      if (draft.find(this.#owner, id) === undefined) throw createNotStoredError("Conversation", id);
      draft.remove(id);
    });
  }

  #change(
    id: string,
    change: (before: StoredConversation) => Partial<Pick<StoredConversation, "metadata" | "items">>,
    changeTimeOf: (before: StoredConversation) => number | undefined = () => undefined,
  ): Promise<StoredConversation> {
    return this.#store.change((draft) => {
      const before = draft.find(this.#owner, id);
      if (before === undefined) throw createNotStoredError("Conversation", id);
      return draft.replace(before, change(before), changeTimeOf(before));
    });
  }
}

function createUnknownCursorError({ after }: PageQuery): GgufdError {
  const reason = `expected the id of a conversation, got ${preview(after)}`;
  return createRefusal("invalid_request", [{ field: "after", reason }]);
}

/** Converts an optional Unix time in seconds. */
export function toMilliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * Finds an item of a conversation.
 * @throws {GgufdError} `not_found`
 */
export function itemOf({ id, items }: StoredConversation, itemId: string): StoredItem {
  const found = items.find((item) => item.id === itemId);
  if (found !== undefined) return found;
  throw new GgufdError(
    "not_found",
    `Item with id '${itemId}' not found in the conversation '${id}'.`,
  );
}
