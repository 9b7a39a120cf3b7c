import type { ConversationStore } from "../../conversations/conversation-store.js";
import { createRefusal, type GgufdError, toClientError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { StoreOwners } from "../../core/store-quota.js";
import type { ToolServers } from "../../core/tool-servers.js";
import type { AnswerContext } from "../description/described-route.js";
import type { HostedToolContext } from "../fields/hosted-tools.js";
import type { Owner } from "../fields/owner.js";
import { ResponsePrinter } from "./answer.js";
import { type BackgroundRun, BackgroundRuns, type UnfinishedResponse } from "./background-runs.js";
import { type ItemListQuery, rejectLongConversation, toItemList } from "./conversation-items.js";
import { ConversationLocks } from "./conversation-locks.js";
import { createId } from "./create-id.js";
import { conversationIdOf, createResponse } from "./create-response.js";
import type { EventLog } from "./event-log.js";
import { toItems } from "./input-items.js";
import type { StoredItem } from "./item-schema.js";
import { findApprovedCalls } from "./mcp-approvals.js";
import type { McpApprovalRequest, McpCallItem, McpListToolsItem } from "./mcp-items.js";
import { type SelectedServer, toListItem } from "./mcp-tools.js";
import { OwnedConversations, type StoredConversation } from "./owned-conversations.js";
import { withResponseMetadata } from "./response-metadata.js";
import type { ItemList, ResponseObject } from "./response-schema.js";
import { type ResponseStore, ResponseStores, type StoredResponse } from "./response-store.js";
import type { NextToolUse } from "./run-tools.js";
import type { ResponseRequest } from "./schema.js";
import { listOfferedTools, type ResponseToolChoice } from "./tools.js";
import {
  type Conversation,
  originOf,
  reasoningReportOf,
  toGenerationRequest,
} from "./translate.js";
import { type TruncatablePrompt, withoutOldest } from "./truncation.js";

/** Dependencies of the routes of responses and conversations. */
export interface ResponsesContext extends AnswerContext, HostedToolContext {
  /** One instance for the lifetime of the application. */
  readonly responses: OwnedResponses;
  readonly toolServers: ToolServers;
}

/** Response whose request has been accepted, with the lock of its conversation. */
export interface OpenResponse {
  readonly id: string;
  /** Unlocks the conversation, if there is one. May be called more than once. */
  readonly close: () => void;
}

/** Response that is ready to be generated. */
export interface PreparedResponse extends UnfinishedResponse {
  readonly prompt: TruncatablePrompt;
  /** Lists of tools of MCP servers that the conversation does not have yet. */
  readonly lists: readonly McpListToolsItem[];
  /** Approved calls to run before the first generation. */
  readonly approved: readonly McpApprovalRequest[];
  /** Builds the prompt of the generation that continues the output so far. */
  readonly continuePrompt: (
    turn: number,
    toolUse: NextToolUse,
    outputTokens: number,
  ) => TruncatablePrompt;
  /** Makes it durable that a call begins, if the response belongs to a conversation. */
  readonly recordCall: (call: McpCallItem) => Promise<void>;
}

/** Responses and conversations of this server, by owner. */
export class OwnedResponses {
  readonly #stores: ResponseStores;
  readonly #conversations: ConversationStore<StoredItem>;
  readonly #responses = new Map<Owner, Responses>();

  constructor(conversations: ConversationStore<StoredItem>, owners?: StoreOwners) {
    this.#conversations = conversations;
    this.#stores = new ResponseStores(owners && { owners });
    this.#stores.follow(conversations);
  }

  /** Returns the responses of one owner. */
  of(owner: Owner): Responses {
    const known = this.#responses.get(owner);
    if (known !== undefined) return known;
    const conversations = new OwnedConversations(owner, this.#conversations);
    const responses = new Responses(this.#stores.of(owner), conversations);
    this.#responses.set(owner, responses);
    return responses;
  }

  /** Cancels all background generations, and resolves when their output is stored. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#responses.values()].map((responses) => responses.endAll()));
  }
}

/** Responses of one owner: stored ones, and ones running in the background. */
class Responses {
  readonly #store: ResponseStore;
  readonly conversations: OwnedConversations;
  readonly #runs = new BackgroundRuns({
    onEnding: (run) => this.#addToConversation(run),
    onEnded: (run) => this.#storeResponse(run, run.log),
  });
  readonly #locks = new ConversationLocks();

  constructor(store: ResponseStore, conversations: OwnedConversations) {
    this.#store = store;
    this.conversations = conversations;
  }

  /** Finds a stored item by its id. */
  findStoredItem(id: string): StoredItem | undefined {
    return this.#store.findItem(id);
  }

  /** Returns the id of the background response that is being generated for a conversation. */
  findActiveResponse(conversationId: string): string | undefined {
    const id = this.#locks.findOpenResponse(conversationId);
    return id !== undefined && this.#runs.find(id) !== undefined ? id : undefined;
  }

  /**
   * Opens the response to a request, and locks its conversation until the response is closed.
   * @throws {GgufdError} `conversation_locked`
   */
  open(body: ResponseRequest): OpenResponse {
    const id = createId("resp");
    const conversationId = conversationIdOf(body);
    const close =
      conversationId === undefined ? () => undefined : this.#locks.lock(conversationId, id);
    return { id, close };
  }

  /**
   * Adds a client's items to a conversation.
   * @throws {GgufdError} `conversation_locked` while a response is open for the conversation; the
   *   errors of `conversations.addItems`
   */
  addItems(conversationId: string, items: readonly StoredItem[]): Promise<StoredConversation> {
    this.#locks.expectUnlocked(conversationId);
    return this.#locks.change(conversationId, () =>
      this.conversations.addItems(conversationId, items),
    );
  }

  /**
   * Prepares the response to a request, after earlier changes of its conversation are durable.
   * @param open see {@link open}
   * @param model alias of the served model
   * @param servers selected MCP servers of the request
   * @param onFailed called with errors that may reach no client
   * @throws {GgufdError} `invalid_request`, `not_found`, `previous_response_not_found`,
   *   `storage_quota_exceeded`
   */
  async prepare(
    body: ResponseRequest,
    { id, close }: OpenResponse,
    { model, servers }: { readonly model: string; readonly servers: readonly SelectedServer[] },
    onFailed: (error: GgufdError) => void,
  ): Promise<PreparedResponse> {
    const conversationId = conversationIdOf(body);
    if (conversationId !== undefined) await this.#locks.waitUntilSettled(conversationId);
    const identity = { id, createdAt: readUnixSeconds(), model };
    const conversation = this.#resolveConversation(body);
    this.#expectRoom(body, conversation);
    const allItems = [...conversation.earlier, ...conversation.input];
    const tools = listOfferedTools(body.tools, servers);
    const printer = new ResponsePrinter(createResponse(body, identity, servers), {
      reasoning: reasoningReportOf(body),
      tools,
      servers,
      now: readUnixSeconds,
    });
    const buildPrompt = (
      changedBody: ResponseRequest,
      input: readonly StoredItem[],
      requestId: string,
    ): TruncatablePrompt => {
      const { earlier } = conversation;
      return {
        items: earlier.length + input.length,
        without: (oldestItems) =>
          toGenerationRequest(
            changedBody,
            withoutOldest({ earlier, input }, oldestItems),
            tools,
            requestId,
          ),
      };
    };
    const markers: StoredItem[] = [];
    return {
      printer,
      onFailed,
      onKept: close,
      input: conversation.input,
      // Items of a previous response are looked up by its id.
      earlier: body.conversation === undefined ? [] : conversation.earlier,
      markers,
      lists: servers.map(toListItem).filter((list) => !hasList(allItems, list)),
      approved: findApprovedCalls(allItems, servers),
      prompt: buildPrompt(body, conversation.input, identity.id),
      continuePrompt: (turn, toolUse, outputTokens) =>
        buildPrompt(
          toNextBody(body, toolUse, outputTokens),
          [...conversation.input, ...printer.response.output],
          turn === 0 ? identity.id : `${identity.id}-${turn}`,
        ),
      recordCall: async (call) => {
        if (conversationId === undefined) return;
        const marker = { ...call, id: createId("mcp") };
        markers.push(marker);
        await this.#locks.change(conversationId, () =>
          this.conversations.addResponse(conversationId, [marker]),
        );
      },
    };
  }

  /**
   * Translates a request whose prompt is only counted, and stores nothing.
   * @throws {GgufdError} the errors of {@link prepare}
   */
  toCountRequest(body: ResponseRequest, servers: readonly SelectedServer[]): GenerationRequest {
    const conversation = this.#resolveConversation(body);
    const tools = listOfferedTools(body.tools, servers);
    return toGenerationRequest(body, conversation, tools, createId("resp"));
  }

  /**
   * Adds a completed response to its conversation, unlocks the conversation, and stores the
   * response unless its request has `store: false`. Never rejects: a conversation that cannot be
   * stored does not fail the response.
   */
  async keep(ended: UnfinishedResponse): Promise<void> {
    await this.#addToConversation(ended);
    ended.onKept();
    this.#storeResponse(ended);
  }

  async #addToConversation(ended: UnfinishedResponse): Promise<void> {
    const { input, onFailed, markers } = ended;
    const { response } = ended.printer;
    if (response.conversation === null) return;
    const { id } = response.conversation;
    try {
      // The conversation is changed before the response is stored: the first version of an item is
      // the one that is found by id, and only this version has the response's metadata.
      const items = [...input, ...withResponseMetadata(response)];
      await this.#locks.change(id, () => this.conversations.addResponse(id, items, markers));
    } catch (thrown) {
      const error = toClientError(thrown);
      // A conversation may be deleted while a response continues it.
      if (error.code !== "not_found") onFailed(error);
    }
  }

  #storeResponse({ printer: { response }, input, earlier }: UnfinishedResponse, log?: EventLog) {
    if (response.store) this.#store.add({ response, input, earlier, log });
  }

  /** Reads a generation to its end, even if no client waits for it, and stores the response. */
  runInBackground(run: BackgroundRun): void {
    this.#runs.start(run);
  }

  /** @throws {GgufdError} `not_found` */
  find(id: string): StoredResponse {
    const run = this.#runs.find(id);
    if (run === undefined) return this.#store.getResponse(id);
    const { printer, input, earlier, log } = run;
    return { response: printer.response, input, earlier, log };
  }

  /**
   * Returns the events of a background response.
   * @throws {GgufdError} `not_found`; `invalid_request` for a response without an event log
   */
  logOf(id: string): EventLog {
    const { log } = this.find(id);
    if (log !== undefined) return log;
    const reason =
      "expected false, because the response was not created with background and stream";
    throw createRefusal("invalid_request", [{ field: "stream", reason }]);
  }

  /**
   * Returns a page of the items that a response was generated from.
   * @throws {GgufdError} `not_found`, `previous_response_not_found`, `invalid_request`
   */
  pageInputItems(id: string, query: ItemListQuery): ItemList {
    const { response, earlier, input } = this.find(id);
    const previous = response.previous_response_id;
    const before = previous === null ? earlier : this.#store.collectConversationUpTo(previous);
    return toItemList([...before, ...input], query);
  }

  /** @throws {GgufdError} `not_found` */
  delete(id: string): void {
    if (!this.#runs.delete(id)) this.#store.deleteResponse(id);
  }

  /**
   * Cancels a background response. A completed one is not changed.
   * @throws {GgufdError} `not_found`; `invalid_request` for a response that was not created with
   *   `background`
   */
  async cancel(id: string): Promise<ResponseObject> {
    const cancelledResponse = await this.#runs.cancel(id);
    if (cancelledResponse !== undefined) return cancelledResponse;
    const { response } = this.#store.getResponse(id);
    if (response.background) return response;
    const reason = "expected the id of a response that was created with background";
    throw createRefusal("invalid_request", [{ field: "id", reason }]);
  }

  /** Cancels all background generations, and resolves when their output is stored. */
  endAll(): Promise<void> {
    return this.#runs.endAll();
  }

  /**
   * Checks the quotas before anything is generated. A response whose storage was not requested
   * explicitly is not checked: if it is too large, it is not stored.
   */
  #expectRoom(body: ResponseRequest, { input }: Conversation): void {
    const conversationId = conversationIdOf(body);
    if (conversationId !== undefined) this.conversations.expectRoomFor(conversationId, input);
    if (body.store === true || body.background === true) this.#store.expectRoomFor(input);
  }

  #resolveConversation(body: ResponseRequest): Conversation {
    const earlier = this.#listEarlierItems(body);
    const input = toItems(body.input ?? [], (id) => this.#store.findItem(id), "input");
    rejectLongConversation(earlier, input, originOf(body));
    return { earlier, input };
  }

  #listEarlierItems(body: ResponseRequest): readonly StoredItem[] {
    const conversationId = conversationIdOf(body);
    if (conversationId !== undefined) return this.conversations.get(conversationId).items;
    const previous = body.previous_response_id;
    return previous === undefined ? [] : this.#store.collectConversationUpTo(previous);
  }
}

function readUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Whether the latest list of a server's tools in a conversation is the same. */
function hasList(
  items: readonly StoredItem[],
  { server_label: label, tools, error }: McpListToolsItem,
): boolean {
  const latest = items.findLast(
    (item) => item.type === "mcp_list_tools" && item.server_label === label,
  );
  return (
    latest?.type === "mcp_list_tools" &&
    JSON.stringify([latest.tools, latest.error]) === JSON.stringify([tools, error])
  );
}

/** Returns the request of a generation that continues the output of a response. */
function toNextBody(
  body: ResponseRequest,
  toolUse: NextToolUse,
  outputTokens: number,
): ResponseRequest {
  const { max_output_tokens: maxTokens } = body;
  return {
    ...body,
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens - outputTokens }),
    ...(toolUse !== "as-requested" && {
      tool_choice: toolUse === "none" ? "none" : withoutDemand(body.tool_choice),
    }),
  };
}

/** Returns a tool choice that requires no call, since a call has been made. */
function withoutDemand(choice: ResponseToolChoice = "auto"): ResponseToolChoice {
  if (choice === "none") return choice;
  return typeof choice === "object" && choice.type === "allowed_tools"
    ? { ...choice, mode: "auto" }
    : "auto";
}
