import { GgufdError } from "../../../core/errors.js";
import { shortenedName } from "../../../core/shortened-name.js";
import { BoundedStore } from "./bounded-store.js";
import type { EventLog } from "./event-log.js";
import type { StoreLimits } from "./eviction.js";
import type { Owner } from "./owner.js";
import type { ConversationObject, ResponseObject, StoredItem } from "./response-schema.js";
import { storedBytes } from "./stored-bytes.js";

/** A response that has ended. */
export interface StoredResponse {
  readonly type: "response";
  readonly response: ResponseObject;
  /** The items of its conversation before it; those of an earlier response are found by its id. */
  readonly earlier: readonly StoredItem[];
  /** The request's own items. */
  readonly input: readonly StoredItem[];
  /** Its stream, if it is to be read again. */
  readonly log?: EventLog | undefined;
}

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

export interface ResponseStoreOptions {
  /** @default 10,000 responses and conversations, 64 MiB, a day */
  readonly limits?: StoreLimits;
  /** In milliseconds. @default Date.now */
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

  /** What one owner has stored: it knows nothing of what others have. */
  of(owner: Owner): ResponseStore {
    const known = this.#stores.get(owner);
    if (known !== undefined) return known;
    const store = new ResponseStore(owner, this.#entries);
    this.#stores.set(owner, store);
    return store;
  }
}

/** The responses and conversations of one owner. What is kept never changes. */
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

  /** Called for an entry that is stored no more. */
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
   * All items of a response and of those before it.
   * @throws {GgufdError} `previous_response_not_found` for it, or one that it goes on with
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

  /** No owner's name has a line break. */
  #keyOf(id: string): string {
    return `${this.#owner}\n${id}`;
  }
}

/** The items of one owner by their ids, for as long as something stored has them. */
class ItemIndex {
  readonly #items = new Map<string, { readonly item: StoredItem; holders: number }>();

  /** An item that is already known stays as it is: a client cannot replace what another refers to. */
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
      if (known !== undefined && --known.holders === 0) this.#items.delete(id);
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
