import assert from "node:assert/strict";
import { type GgufdError, refusalOf, toClientError } from "../../../core/errors.js";
import type { ChoiceEvent } from "../../../core/generation-event.js";
import type { GenerationRequest } from "../../../core/generation-request.js";
import type { AnswerContext } from "../../description/described-route.js";
import { ResponsePrinter } from "./answer.js";
import {
  appendItems,
  type ItemListQuery,
  rejectLongConversation,
  toItemList,
} from "./conversation-items.js";
import type { EventLog } from "./event-log.js";
import type { ResponseEvent } from "./event-schema.js";
import { toItems } from "./input-items.js";
import { newId } from "./new-id.js";
import { conversationIdOf, newResponse } from "./new-response.js";
import type { ItemList, ResponseObject, StoredItem } from "./response-schema.js";
import {
  type Owner,
  type ResponseStore,
  ResponseStores,
  type StoredResponse,
} from "./response-store.js";
import type { HostedToolPolicy, ResponseRequest } from "./schema.js";
import { offeredTools } from "./tools.js";
import {
  type Conversation,
  originOf,
  reasoningReportOf,
  toGenerationRequest,
} from "./translate.js";
import { type TruncatablePrompt, withoutOldest } from "./truncation.js";

/** The context of the handlers of responses and conversations. */
export interface ResponsesContext extends AnswerContext {
  /** One instance for the lifetime of the application. */
  readonly responses: OwnedResponses;
  /** How hosted tools are handled. */
  readonly hostedTools: HostedToolPolicy;
}

/** A response that is about to be generated. */
export interface PreparedResponse extends UnfinishedResponse {
  readonly prompt: TruncatablePrompt;
}

/** The responses and conversations of this server, by owner. */
export class OwnedResponses {
  readonly #stores = new ResponseStores();
  readonly #responses = new Map<Owner, Responses>();

  /** The responses of one owner. */
  of(owner: Owner): Responses {
    const known = this.#responses.get(owner);
    if (known !== undefined) return known;
    const responses = new Responses(this.storeOf(owner));
    this.#responses.set(owner, responses);
    return responses;
  }

  /** The store of one owner: conversations, and responses that have ended. */
  storeOf(owner: Owner): ResponseStore {
    return this.#stores.of(owner);
  }

  /** Cancels all background generations. */
  endAll(): void {
    for (const responses of this.#responses.values()) responses.endAll();
  }
}

/** The responses of one owner: those that run in the background, and those that are stored. */
class Responses {
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
  prepare(body: ResponseRequest, model: string): PreparedResponse {
    const identity = { id: newId("resp"), createdAt: secondsNow(), model };
    const conversation = this.#conversationOf(body);
    const tools = offeredTools(body.tools);
    const printer = new ResponsePrinter(newResponse(body, identity), {
      reasoning: reasoningReportOf(body),
      tools,
      now: secondsNow,
    });
    return {
      printer,
      input: conversation.input,
      // The items of a previous response are found by its id.
      earlier: body.conversation === undefined ? [] : conversation.earlier,
      prompt: {
        items: conversation.earlier.length + conversation.input.length,
        without: (oldestItems) =>
          toGenerationRequest(body, withoutOldest(conversation, oldestItems), tools, identity.id),
      },
    };
  }

  /**
   * A request whose prompt is counted, not answered; nothing of it is stored.
   * @throws {GgufdError} the errors of {@link prepare}
   */
  toCountedRequest(body: ResponseRequest): GenerationRequest {
    const conversation = this.#conversationOf(body);
    return toGenerationRequest(body, conversation, offeredTools(body.tools), newId("resp"));
  }

  /** Stores a response that has ended, unless its request has `store: false`, and appends it to its conversation. */
  keep({ printer: { response }, input, earlier }: UnfinishedResponse, log?: EventLog): void {
    const conversation =
      response.conversation && this.#store.findConversation(response.conversation.id);
    if (conversation) appendItems(this.#store, conversation, [...input, ...response.output]);
    if (response.store) this.#store.add({ type: "response", response, input, earlier, log });
  }

  /** Reads a generation to its end, whether or not a client waits for it, and keeps the response. */
  runInBackground(run: BackgroundRun): void {
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
   * The events of a background response.
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
   * The items of the conversation that a response was generated from, as a page.
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
   * Cancels a background response; one that has ended stays as it is.
   * @throws {GgufdError} `not_found`; `invalid_request` for a response that was not created with `background`
   */
  async cancel(id: string): Promise<ResponseObject> {
    const cancelled = await this.#runs.cancel(id);
    if (cancelled !== undefined) return cancelled;
    const { response } = this.#store.response(id);
    if (response.background) return response;
    const reason = "expected the id of a response that was created with background";
    throw refusalOf("invalid_request", [{ field: "id", reason }]);
  }

  /** Cancels all background generations. */
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

/** A response that has not ended, and the items of its conversation. */
interface UnfinishedResponse extends Pick<StoredResponse, "earlier" | "input"> {
  readonly printer: ResponsePrinter;
}

/** A response that is generated in the background: whether or not a client waits for it. */
interface BackgroundRun extends UnfinishedResponse {
  readonly events: AsyncIterable<ChoiceEvent>;
  /** Ends the generation. */
  readonly controller: AbortController;
  /** Called with the error that ends the generation: there may be no client that receives it. */
  readonly onFailed: (error: GgufdError) => void;
  /** Called once when the generation has ended, in whatever way. */
  readonly onSettled: () => void;
  /** Its events; `undefined`: the request has no `stream`. */
  readonly log: EventLog | undefined;
}

interface FollowedRun extends BackgroundRun {
  /** Resolves when the response has ended. */
  readonly ended: Promise<void>;
}

/** The responses of one owner that are being generated in the background. */
class BackgroundRuns {
  readonly #runs = new Map<string, FollowedRun>();
  readonly #onEnded: (run: BackgroundRun) => void;

  /** @param onEnded called with each run that has ended, unless it was deleted */
  constructor(onEnded: (run: BackgroundRun) => void) {
    this.#onEnded = onEnded;
  }

  find(id: string): BackgroundRun | undefined {
    return this.#runs.get(id);
  }

  /** Begins to read a generation, up to its end. */
  start(run: BackgroundRun): void {
    const { id } = run.printer.response;
    assert(!this.#runs.has(id), "an id belongs to one run");
    const queued = run.printer.queue();
    run.log?.append(queued);
    this.#runs.set(id, { ...run, ended: this.#follow(id, run) });
  }

  /** Cancels a run. @returns its final response; `undefined`: there is no run with this id */
  async cancel(id: string): Promise<ResponseObject | undefined> {
    const run = this.#runs.get(id);
    if (run === undefined) return undefined;
    run.controller.abort();
    await run.ended;
    return run.printer.response;
  }

  /** Cancels a run, and discards its response. @returns whether there was one */
  delete(id: string): boolean {
    const run = this.#runs.get(id);
    run?.controller.abort();
    return this.#runs.delete(id);
  }

  /** Cancels all runs, without waiting for them. */
  endAll(): void {
    for (const { controller } of this.#runs.values()) controller.abort();
  }

  async #follow(id: string, run: BackgroundRun): Promise<void> {
    const { printer, events, log } = run;
    const print = (printed: readonly ResponseEvent[]) => log?.append(printed);
    try {
      for await (const { event } of events) {
        if (event.type === "failed") run.onFailed(event.error);
        print(printer.print(event));
      }
    } catch (thrown) {
      const error = toClientError(thrown);
      run.onFailed(error);
      print(printer.print({ type: "failed", error }));
    }
    if (this.#runs.delete(id)) this.#onEnded(run);
    log?.close();
    run.onSettled();
  }
}
