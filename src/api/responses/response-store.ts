import assert from "node:assert/strict";
import type { ConversationStore } from "../../conversations/conversation-store.js";
import { commonPrefix } from "../../conversations/shared-items.js";
import { GgufdError, shortenedName } from "../../core/errors.js";
import type { StoreLimits } from "../../core/eviction.js";
import {
  expectWithinQuota,
  quotaOf,
  type StoreOwners,
  withoutKeys,
} from "../../core/store-quota.js";
import { storedBytes } from "../../core/stored-bytes.js";
import { sumOf } from "../../core/sum-of.js";
import { BoundedStore } from "./bounded-store.js";
import type { EventLog } from "./event-log.js";
import type { ResponseObject, StoredItem } from "./response-schema.js";

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
  readonly response: ResponseObject;
  /** The items before it in its stored conversation; those of a previous response are found by that one's id. */
  readonly earlier: readonly StoredItem[];
  /** The request's own items. */
  readonly input: readonly StoredItem[];
  /** Its events, if they can be streamed again. */
  readonly log?: EventLog | undefined;
}

const LIMITS: StoreLimits = {
  entries: 10_000,
  items: 1_000_000,
  bytes: 64 * 2 ** 20,
  idleMs: 24 * 60 * 60 * 1_000,
};

interface ResponseStoreOptions {
  /** Of all owners together. Each has a share of it. @default 10,000 responses, 1,000,000 items, 64 MiB, a day */
  readonly limits?: StoreLimits;
  /** @default one, whose name is empty */
  readonly owners?: StoreOwners;
  /** The time in milliseconds. @default Date.now */
  readonly now?: () => number;
}

interface OwnedEntry {
  readonly owner: Owner;
  readonly entry: StoredResponse;
}

/** The responses of all owners, in memory, each within a share of the limits. */
export class ResponseStores {
  readonly #stores = new Map<Owner, ResponseStore>();
  readonly #entries: BoundedStore<OwnedEntry>;
  readonly #quota: () => StoreLimits;

  constructor({
    limits = LIMITS,
    owners = withoutKeys,
    now = Date.now,
  }: ResponseStoreOptions = {}) {
    this.#quota = () => quotaOf(limits, owners.count());
    this.#entries = new BoundedStore({
      quota: this.#quota,
      now,
      onRemoved: ({ owner, entry }) => this.of(owner).forgetItems(itemsOf(entry)),
      sizeOf: ({ entry }) => ({
        items: entry.earlier.length + itemsOf(entry).length,
        bytes: storedBytes(entry),
      }),
    });
  }

  /** Has the items of conversations be found, as those of responses are. */
  follow(conversations: ConversationStore<StoredItem>): void {
    conversations.follow((before, after) => {
      const owner = after?.owner ?? before?.owner ?? "";
      const [old, now] = [before?.items ?? [], after?.items ?? []];
      const kept = commonPrefix(old, now);
      const store = this.of(owner);
      store.holdItems(now.slice(kept));
      store.forgetItems(old.slice(kept));
    });
  }

  /** The store of one owner, in which nothing of the others is found. */
  of(owner: Owner): ResponseStore {
    const known = this.#stores.get(owner);
    if (known !== undefined) return known;
    const store = new ResponseStore(owner, this.#entries, this.#quota);
    this.#stores.set(owner, store);
    return store;
  }
}

/** The responses of one owner, and the items of these and of the owner's conversations. */
export class ResponseStore {
  readonly #owner: Owner;
  readonly #entries: BoundedStore<OwnedEntry>;
  readonly #quota: () => StoreLimits;
  readonly #items = new ItemIndex();

  constructor(owner: Owner, entries: BoundedStore<OwnedEntry>, quota: () => StoreLimits) {
    this.#owner = owner;
    this.#entries = entries;
    this.#quota = quota;
  }

  /**
   * Expects that a response to these items may be stored, whatever else its owner has stored.
   * @throws {GgufdError} `storage_quota_exceeded`
   */
  expectRoomFor(items: readonly StoredItem[]): void {
    const size = { items: items.length, bytes: sumOf(items, storedBytes) };
    expectWithinQuota({ kind: "response", owner: this.#owner, quota: this.#quota(), size });
  }

  add(entry: StoredResponse): void {
    this.holdItems(itemsOf(entry));
    this.#entries.set(this.#owner, entry.response.id, { owner: this.#owner, entry });
  }

  /** Has these items be found by their ids until they are forgotten. */
  holdItems(items: readonly StoredItem[]): void {
    this.#items.add(items);
  }

  /** Called when something that had these items has been removed. */
  forgetItems(items: readonly StoredItem[]): void {
    this.#items.remove(items);
  }

  /** @throws {GgufdError} `not_found` */
  response(id: string): StoredResponse {
    const found = this.#response(id);
    if (found !== undefined) return found;
    throw notStored("Response", id);
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
    this.#entries.delete(this.#owner, id);
  }

  #response(id: string): StoredResponse | undefined {
    return this.#entries.get(this.#owner, id)?.entry;
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

function itemsOf({ input, response }: StoredResponse): readonly StoredItem[] {
  return [...input, ...response.output];
}

/** The error of an id under which nothing is stored. */
export function notStored(kind: "Response" | "Conversation", id: string): GgufdError {
  const reason = "it was not stored, or is stored no more";
  return new GgufdError(
    "not_found",
    `${kind} with id '${shortenedName(id)}' not found: ${reason}.`,
  );
}

function previousNotFound(id: string): GgufdError {
  return new GgufdError(
    "previous_response_not_found",
    `Previous response with id '${shortenedName(id)}' not found: it was never stored, has been removed, or is not complete yet.`,
    { param: "previous_response_id" },
  );
}
