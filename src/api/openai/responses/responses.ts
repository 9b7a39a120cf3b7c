import { refusalOf } from "../../../core/errors.js";
import type { GenerationRequest } from "../../../core/generation-request.js";
import { type BackgroundRun, BackgroundRuns, type ResponseBegun } from "./background-runs.js";
import { rejectLongConversation } from "./conversation-limit.js";
import { appendItems } from "./conversations.js";
import type { EventLog } from "./event-log.js";
import { type ItemListQuery, toItemList } from "./list-query.js";
import { newId } from "./new-id.js";
import { conversationIdOf, newResponse } from "./new-response.js";
import { offeredTools } from "./offered-tools.js";
import type { Owner } from "./owner.js";
import { ResponsePrinter } from "./response-printer.js";
import type { ItemList, ResponseObject, StoredItem } from "./response-schema.js";
import { type ResponseStore, ResponseStores, type StoredResponse } from "./response-store.js";
import type { ResponseRequest } from "./schema.js";
import { toItems } from "./to-items.js";
import {
  type Conversation,
  originOf,
  reasoningReportOf,
  toGenerationRequest,
} from "./translate.js";
import { type TruncatablePrompt, withoutOldest } from "./truncation.js";

/** A response that is to be generated. */
export interface NewResponse extends ResponseBegun {
  readonly prompt: TruncatablePrompt;
}

/** The responses and conversations of this server, by whom they belong to. */
export class OwnedResponses {
  readonly #stores = new ResponseStores();
  readonly #responses = new Map<Owner, Responses>();

  of(owner: Owner): Responses {
    const known = this.#responses.get(owner);
    if (known !== undefined) return known;
    const responses = new Responses(this.storeOf(owner));
    this.#responses.set(owner, responses);
    return responses;
  }

  /** What one owner has stored: conversations, and responses that have ended. */
  storeOf(owner: Owner): ResponseStore {
    return this.#stores.of(owner);
  }

  /** Ends what is being generated in the background. */
  endAll(): void {
    for (const responses of this.#responses.values()) responses.endAll();
  }
}

/** The responses of one owner: those that are being generated, and those that are stored. */
export class Responses {
  readonly #store: ResponseStore;
  readonly #runs = new BackgroundRuns((run) => this.keep(run, run.log));

  constructor(store: ResponseStore) {
    this.#store = store;
  }

  /**
   * Prepares the response to a request.
   * @param model the alias of the served model
   * @throws {GgufdError} `invalid_request`, `not_found`, `previous_response_not_found`
   */
  prepare(body: ResponseRequest, model: string): NewResponse {
    const identity = { id: newId("resp"), createdAt: secondsNow(), model };
    const conversation = this.#conversationOf(body);
    const printer = new ResponsePrinter(newResponse(body, identity), {
      reasoning: reasoningReportOf(body),
      tools: offeredTools(body.tools),
      now: secondsNow,
    });
    return {
      printer,
      input: conversation.input,
      // Those before a previous response are found by its id.
      earlier: body.conversation === undefined ? [] : conversation.earlier,
      prompt: {
        items: conversation.earlier.length + conversation.input.length,
        without: (oldestItems) =>
          toGenerationRequest(body, withoutOldest(conversation, oldestItems), identity.id),
      },
    };
  }

  /**
   * What a response to a request would be generated from; nothing is kept of it.
   * @throws {GgufdError} the errors of {@link prepare}
   */
  toCounted(body: ResponseRequest): GenerationRequest {
    return toGenerationRequest(body, this.#conversationOf(body), newId("resp"));
  }

  /** Stores a response that has ended, and adds it to its conversation, as its request wants it. */
  keep({ printer: { response }, input, earlier }: ResponseBegun, log?: EventLog): void {
    const conversation =
      response.conversation && this.#store.findConversation(response.conversation.id);
    if (conversation) appendItems(this.#store, conversation, [...input, ...response.output]);
    if (response.store) this.#store.add({ type: "response", response, input, earlier, log });
  }

  /** Follows a generation to its end, for no client in particular. */
  follow(run: BackgroundRun): void {
    this.#runs.start(run);
  }

  /** @throws {GgufdError} `not_found` */
  find(id: string): StoredResponse {
    const run = this.#runs.find(id);
    if (run === undefined) return this.#store.response(id);
    const { printer, input, earlier, log } = run;
    return { type: "response", response: printer.response, input, earlier, log };
  }

  /**
   * The events of a response in the background.
   * @throws {GgufdError} `not_found`; `invalid_request` for a response that has none
   */
  logOf(id: string): EventLog {
    const { log } = this.find(id);
    if (log !== undefined) return log;
    const reason =
      "expected false, because the response was not created with background and stream";
    throw refusalOf("invalid_request", [{ field: "stream", reason }]);
  }

  /**
   * All items that a response was generated from.
   * @throws {GgufdError} `not_found`, `previous_response_not_found`, `invalid_request`
   */
  inputItems(id: string, query: ItemListQuery): ItemList {
    const { response, earlier, input } = this.find(id);
    const previous = response.previous_response_id;
    const before = previous === null ? earlier : this.#store.conversationUpTo(previous);
    return toItemList([...before, ...input], query);
  }

  /** @throws {GgufdError} `not_found` */
  delete(id: string): void {
    if (!this.#runs.delete(id)) this.#store.deleteResponse(id);
  }

  /**
   * Ends a response in the background; one that has ended stays as it is.
   * @throws {GgufdError} `not_found`; `invalid_request` for a response that a client waited for
   */
  async cancel(id: string): Promise<ResponseObject> {
    const cancelled = await this.#runs.cancel(id);
    if (cancelled !== undefined) return cancelled;
    const { response } = this.#store.response(id);
    if (response.background) return response;
    const reason = "expected the id of a response that was created with background";
    throw refusalOf("invalid_request", [{ field: "id", reason }]);
  }

  /** Ends what is being generated in the background. */
  endAll(): void {
    this.#runs.endAll();
  }

  #conversationOf(body: ResponseRequest): Conversation {
    const earlier = this.#itemsBefore(body);
    const input = toItems(body.input ?? [], (id) => this.#store.item(id), "input");
    rejectLongConversation(earlier, input, originOf(body));
    return { earlier, input };
  }

  #itemsBefore(body: ResponseRequest): readonly StoredItem[] {
    const conversationId = conversationIdOf(body);
    if (conversationId !== undefined) return this.#store.conversation(conversationId).items;
    const previous = body.previous_response_id;
    return previous === undefined ? [] : this.#store.conversationUpTo(previous);
  }
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}
