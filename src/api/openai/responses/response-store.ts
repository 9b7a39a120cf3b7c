import { GgufdError } from "../../../core/errors.js";
import { shortenedName } from "../../../core/shortened-name.js";
import { BoundedStore } from "./bounded-store.js";
import type { EventLog } from "./event-log.js";
import type { StoreLimits } from "./eviction.js";
import { ItemIndex } from "./item-index.js";
import type { ConversationObject, ResponseObject, StoredItem } from "./response-schema.js";

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

/** Responses and conversations, in memory, within limits. What is kept never changes. */
export class ResponseStore {
  readonly #items = new ItemIndex();
  readonly #entries: BoundedStore<StoredResponse | StoredConversation>;

  constructor({ limits = LIMITS, now = Date.now }: ResponseStoreOptions = {}) {
    const onRemoved = (removed: StoredResponse | StoredConversation) =>
      this.#items.remove(itemsOf(removed));
    this.#entries = new BoundedStore({ limits, now, onRemoved });
  }

  add(entry: StoredResponse | StoredConversation): void {
    this.#items.add(itemsOf(entry));
    this.#entries.set(idOf(entry), entry);
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
    const found = this.#entries.get(id);
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
    this.#entries.delete(id);
  }

  /** @throws {GgufdError} `not_found` */
  deleteConversation(id: string): void {
    this.conversation(id);
    this.#entries.delete(id);
  }

  #response(id: string): StoredResponse | undefined {
    const found = this.#entries.get(id);
    return found?.type === "response" ? found : undefined;
  }
}

function itemsOf(entry: StoredResponse | StoredConversation): readonly StoredItem[] {
  return entry.type === "response" ? [...entry.input, ...entry.response.output] : entry.items;
}

function idOf(entry: StoredResponse | StoredConversation): string {
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
