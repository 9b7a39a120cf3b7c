import assert from "node:assert/strict";
import { GgufdError, shortenedName } from "../../../core/errors.js";
import { BoundedStore, type StoreLimits, storedBytes } from "./bounded-store.js";
import type { EventLog } from "./event-log.js";
import type { ConversationObject, ResponseObject, StoredItem } from "./response-schema.js";

/**
 * The owner of a stored response or conversation: the name of the API key that created it. All keys of that name
 * share it, so that a key can be replaced. Empty: the server has no keys, and all clients share everything.
 */
export type Owner = string;

/** The owner of what a request creates, and of what it may read. */
export function ownerOf({ keyName }: { readonly keyName: string | undefined }): Owner {
  return keyName ?? "";
}

/** A response that has ended. */
export interface StoredResponse {
  readonly type: "response";
  readonly response: ResponseObject;
  /** The items before it in its stored conversation; those of a previous response are found by that one's id. */
  readonly earlier: readonly StoredItem[];
  /** The request's own items. */
  readonly input: readonly StoredItem[];
  /** Its events, if they can be streamed again. */
  readonly log?: EventLog | undefined;
}

/** A conversation and its items, the earliest first. */
export interface StoredConversation {
  readonly type: "conversation";
  readonly conversation: ConversationObject;
  readonly items: readonly StoredItem[];
}

const LIMITS: StoreLimits = {
  entries: 10_000,
  bytes: 64 * 2 ** 20,
  idleMs: 24 * 60 * 60 * 1_000,
};

interface ResponseStoreOptions {
  /** @default 10,000 responses and conversations, 64 MiB, a day */
  readonly limits?: StoreLimits;
  /** The time in milliseconds. @default Date.now */
  readonly now?: () => number;
}

type Entry = StoredResponse | StoredConversation;

interface OwnedEntry {
  readonly owner: Owner;
  readonly entry: Entry;
}

/** The responses and conversations of all owners, in memory, within limits that they share. */
export class ResponseStores {
  readonly #stores = new Map<Owner, ResponseStore>();
  readonly #entries: BoundedStore<OwnedEntry>;

  constructor({ limits = LIMITS, now = Date.now }: ResponseStoreOptions = {}) {
    const onRemoved = ({ owner, entry }: OwnedEntry) => this.of(owner).forgetItemsOf(entry);
    this.#entries = new BoundedStore({
      ...{ limits, now, onRemoved },
      bytesOf: ({ entry }) => storedBytes(entry),
    });
  }

  /** The store of one owner, in which nothing of the others is found. */
  of(owner: Owner): ResponseStore {
    const known = this.#stores.get(owner);
    if (known !== undefined) return known;
    const store = new ResponseStore(owner, this.#entries);
    this.#stores.set(owner, store);
    return store;
  }
}

/** The responses and conversations of one owner. Entries are immutable: a change replaces the entry. */
export class ResponseStore {
  readonly #owner: Owner;
  readonly #entries: BoundedStore<OwnedEntry>;
  readonly #items = new ItemIndex();

  constructor(owner: Owner, entries: BoundedStore<OwnedEntry>) {
    this.#owner = owner;
    this.#entries = entries;
  }

  add(entry: Entry): void {
    this.#items.add(itemsOf(entry));
    this.#entries.set(this.#keyOf(idOf(entry)), { owner: this.#owner, entry });
  }

  /** Called when an entry has been removed. */
  forgetItemsOf(entry: Entry): void {
    this.#items.remove(itemsOf(entry));
  }

  /** @throws {GgufdError} `not_found` */
  response(id: string): StoredResponse {
    const found = this.#response(id);
    if (found !== undefined) return found;
    throw notFound("Response", id);
  }

  /** @throws {GgufdError} `not_found` */
  conversation(id: string): StoredConversation {
    const found = this.findConversation(id);
    if (found !== undefined) return found;
    throw notFound("Conversation", id);
  }

  findConversation(id: string): StoredConversation | undefined {
    const found = this.#find(id);
    return found?.type === "conversation" ? found : undefined;
  }

  item(id: string): StoredItem | undefined {
    return this.#items.find(id);
  }

  /**
   * All items of a response and of the responses before it, the earliest first.
   * @throws {GgufdError} `previous_response_not_found` for the response, or for one that it continues
   */
  conversationUpTo(id: string): readonly StoredItem[] {
    const turns: (readonly StoredItem[])[] = [];
    let next: string | null = id;
    while (next !== null) {
      const found = this.#response(next);
      if (found === undefined) throw previousNotFound(next);
      const { response, earlier, input } = found;
      turns.push([...earlier, ...input, ...response.output]);
      next = response.previous_response_id;
    }
    return turns.reverse().flat();
  }

  /** @throws {GgufdError} `not_found` */
  deleteResponse(id: string): void {
    this.response(id);
    this.#entries.delete(this.#keyOf(id));
  }

  /** @throws {GgufdError} `not_found` */
  deleteConversation(id: string): void {
    this.conversation(id);
    this.#entries.delete(this.#keyOf(id));
  }

  #response(id: string): StoredResponse | undefined {
    const found = this.#find(id);
    return found?.type === "response" ? found : undefined;
  }

  #find(id: string): Entry | undefined {
    return this.#entries.get(this.#keyOf(id))?.entry;
  }

  /** Unambiguous, because no owner's name contains a line break. */
  #keyOf(id: string): string {
    return `${this.#owner}\n${id}`;
  }
}

/** The items of one owner by id, as long as a stored entry has them. */
class ItemIndex {
  readonly #items = new Map<string, { readonly item: StoredItem; holders: number }>();

  /** A known item stays as it is: a client cannot replace what other entries refer to. */
  add(items: readonly StoredItem[]): void {
    for (const item of items) {
      const known = this.#items.get(item.id);
      if (known === undefined) this.#items.set(item.id, { item, holders: 1 });
      else known.holders++;
    }
  }

  remove(items: readonly StoredItem[]): void {
    for (const { id } of items) {
      const known = this.#items.get(id);
      assert(known !== undefined && known.holders > 0, "items are removed as often as added");
      if (--known.holders === 0) this.#items.delete(id);
    }
  }

  find(id: string): StoredItem | undefined {
    return this.#items.get(id)?.item;
  }
}

function itemsOf(entry: Entry): readonly StoredItem[] {
  return entry.type === "response" ? [...entry.input, ...entry.response.output] : entry.items;
}

function idOf(entry: Entry): string {
  return entry.type === "response" ? entry.response.id : entry.conversation.id;
}

function notFound(kind: "Response" | "Conversation", id: string): GgufdError {
  const reason = "it was not stored, or is stored no more";
  return new GgufdError(
    "not_found",
    `${kind} with id '${shortenedName(id)}' not found: ${reason}.`,
  );
}

function previousNotFound(id: string): GgufdError {
  return new GgufdError(
    "previous_response_not_found",
    `Previous response with id '${shortenedName(id)}' not found: it was not stored, is stored no more, or has not ended.`,
    { param: "previous_response_id" },
  );
}
