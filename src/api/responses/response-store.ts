import assert from "node:assert/strict";
import type { ConversationStore } from "../../conversations/conversation-store.js";
import { countCommonPrefix } from "../../conversations/shared-items.js";
import { GgufdError, shortenName } from "../../core/errors.js";
import type { StoreLimits } from "../../core/eviction.js";
import {
  computeQuota,
  expectWithinQuota,
  keylessOwners,
  type StoreOwners,
} from "../../core/store-quota.js";
import { estimateStoredBytes } from "../../core/stored-bytes.js";
import { sumBy } from "../../core/sum-by.js";
import type { Owner } from "../fields/owner.js";
import { BoundedStore } from "./bounded-store.js";
import type { EventLog } from "./event-log.js";
import type { StoredItem } from "./item-schema.js";
import type { ResponseObject } from "./response-schema.js";

/** Completed response. */
export interface StoredResponse {
  readonly response: ResponseObject;
  /**
   * Earlier items of the stored conversation. Items of a previous response are looked up by its id
   * instead.
   */
  readonly earlier: readonly StoredItem[];
  /** Items of the request itself. */
  readonly input: readonly StoredItem[];
  /** Events of the response, if they can be streamed again. */
  readonly log?: EventLog | undefined;
}

const LIMITS: StoreLimits = {
  entries: 10_000,
  items: 1_000_000,
  bytes: 64 * 2 ** 20,
  idleMs: 24 * 60 * 60 * 1_000,
};

interface ResponseStoreOptions {
  /**
   * Limits of all owners together, of which each has a share. @default 10,000 responses, 1,000,000
   * items, 64 MiB, one day
   */
  readonly limits?: StoreLimits;
  /** @default one owner with an empty name */
  readonly owners?: StoreOwners;
  /** Current time in milliseconds. @default Date.now */
  readonly now?: () => number;
}

interface OwnedEntry {
  readonly owner: Owner;
  readonly entry: StoredResponse;
}

/** In-memory store of the responses of all owners, each within its share of the limits. */
export class ResponseStores {
  readonly #stores = new Map<Owner, ResponseStore>();
  readonly #entries: BoundedStore<OwnedEntry>;
  readonly #quota: () => StoreLimits;

  constructor({
    limits = LIMITS,
    owners = keylessOwners,
    now = Date.now,
  }: ResponseStoreOptions = {}) {
    this.#quota = () => computeQuota(limits, owners.count());
    this.#entries = new BoundedStore({
      quota: this.#quota,
      now,
      onRemoved: ({ owner, entry }) => this.of(owner).releaseItems(itemsOf(entry)),
      sizeOf: ({ entry }) => ({
        items: entry.earlier.length + itemsOf(entry).length,
        bytes: estimateStoredBytes(entry),
      }),
    });
  }

  /** Makes the items of conversations available by id, like the items of responses. */
  follow(conversations: ConversationStore<StoredItem>): void {
    conversations.follow((before, after) => {
      const owner = after?.owner ?? before?.owner ?? "";
      const [old, now] = [before?.items ?? [], after?.items ?? []];
      const prefixLength = countCommonPrefix(old, now);
      const store = this.of(owner);
      store.retainItems(now.slice(prefixLength));
      store.releaseItems(old.slice(prefixLength));
    });
  }

  /** Returns the store of one owner, which contains nothing of other owners. */
  of(owner: Owner): ResponseStore {
    const known = this.#stores.get(owner);
    if (known !== undefined) return known;
    const store = new ResponseStore(owner, this.#entries, this.#quota);
    this.#stores.set(owner, store);
    return store;
  }
}

/** Responses of one owner, and the items of its responses and conversations. */
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
   * Checks that a response to these items fits the owner's quota, regardless of what is already
   * stored.
   * @throws {GgufdError} `storage_quota_exceeded`
   */
  expectRoomFor(items: readonly StoredItem[]): void {
    const size = { items: items.length, bytes: sumBy(items, estimateStoredBytes) };
    expectWithinQuota({ kind: "response", owner: this.#owner, quota: this.#quota(), size });
  }

  add(entry: StoredResponse): void {
    this.retainItems(itemsOf(entry));
    this.#entries.set(this.#owner, entry.response.id, { owner: this.#owner, entry });
  }

  /** Makes items available by id, until {@link releaseItems} releases them. */
  retainItems(items: readonly StoredItem[]): void {
    this.#items.add(items);
  }

  /** Releases the items of an entry that has been removed. */
  releaseItems(items: readonly StoredItem[]): void {
    this.#items.remove(items);
  }

  /** @throws {GgufdError} `not_found` */
  getResponse(id: string): StoredResponse {
    const found = this.#findResponse(id);
    if (found !== undefined) return found;
    throw createNotStoredError("Response", id);
  }

  findItem(id: string): StoredItem | undefined {
    return this.#items.find(id);
  }

  /**
   * Returns all items of a response and of the responses before it, earliest first.
   * @throws {GgufdError} `previous_response_not_found` for the response, or for one that it
   *   continues
   */
  collectConversationUpTo(id: string): readonly StoredItem[] {
    const turns: (readonly StoredItem[])[] = [];
    let next: string | null = id;
    while (next !== null) {
      const found = this.#findResponse(next);
      if (found === undefined) throw createPreviousNotFoundError(next);
      const { response, earlier, input } = found;
      turns.push([...earlier, ...input, ...response.output]);
      next = response.previous_response_id;
    }
    return turns.reverse().flat();
  }

  /** @throws {GgufdError} `not_found` */
  deleteResponse(id: string): void {
    this.getResponse(id);
    this.#entries.delete(this.#owner, id);
  }

  #findResponse(id: string): StoredResponse | undefined {
    return this.#entries.get(this.#owner, id)?.entry;
  }
}

/** Reference-counted items of one owner, by id. */
class ItemIndex {
  readonly #items = new Map<string, { readonly item: StoredItem; holders: number }>();

  /**
   * Adds references to items. A known item is kept as is, so that a client cannot replace an item
   * that other entries refer to.
   */
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
      assert(
        known !== undefined && known.holders > 0,
        "an item is removed at most once per addition",
      );
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

/** Creates the error of an id that is not stored. */
export function createNotStoredError(kind: "Response" | "Conversation", id: string): GgufdError {
  const reason = "it was never stored, or has been removed";
  return new GgufdError("not_found", `${kind} with id '${shortenName(id)}' not found: ${reason}.`);
}

function createPreviousNotFoundError(id: string): GgufdError {
  return new GgufdError(
    "previous_response_not_found",
    `Previous response with id '${shortenName(id)}' not found: it was never stored, has been removed, or is not complete yet.`,
    { param: "previous_response_id" },
  );
}
