import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { createDisconnectSignal } from "../../http/caller.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { JSON_TYPE, jsonResponse } from "../description/responses.js";
import { dropNulls } from "../fields/nulls.js";
import { ownerOf } from "../fields/owner.js";
import { DEFAULT_LIMIT, itemListQuery, toItemList } from "./conversation-items.js";
import { toMatchObject, toSearch } from "./conversation-search.js";
import {
  createInvalidFieldError,
  exampleItem,
  exampleItemList,
  idOf,
  idPath,
  invalidLimit,
  itemNotFound,
  lockedConversation,
  quotaError,
  storeErrors,
} from "./description.js";
import { toItems } from "./input-items.js";
import { storedItem } from "./item-schema.js";
import { itemOf, type StoredConversation, toMilliseconds } from "./owned-conversations.js";
import {
  type ConversationList,
  type ConversationObject,
  conversationList,
  conversationObject,
  deletedConversation,
  itemList,
  type ListedConversation,
} from "./response-schema.js";
import type { ResponsesContext } from "./responses.js";
import { conversationChange, conversationListQuery, newConversation, newItems } from "./schema.js";

const path = idPath("conv_77d0");
const itemPath = path.extend({ item_id: z.string().meta({ example: "msg_2f6b" }) });

const exampleConversation: ConversationObject = {
  id: "conv_77d0",
  object: "conversation",
  created_at: 1767225600,
  updated_at: 1767225605,
  metadata: { topic: "greetings" },
  active_response_id: null,
};

const conversationNotFound = new GgufdError(
  "not_found",
  "Conversation with id 'conv_1' not found: it was never stored, or has been removed.",
);
const invalidMetadata = createInvalidFieldError(
  "metadata",
  'expected an object with string values, got "greetings"',
);
const conversationAnswer = jsonResponse({
  description: "The conversation.",
  schema: conversationObject,
  example: exampleConversation,
});
const itemsAnswer = jsonResponse({
  description: "A page of items.",
  schema: itemList,
  example: exampleItemList,
});

const listConversationsRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/conversations",
  access: access.inference,
  description: {
    operationId: "listConversations",
    summary: "List conversations",
    description:
      "Lists the conversations of the API key, without items, last changed first by default. `query` and `metadata` select some of them.",
    requestParams: { query: conversationListQuery },
    responses: {
      200: jsonResponse({
        description: "A page of conversations.",
        schema: conversationList,
        example: {
          object: "list",
          data: [exampleConversation],
          first_id: "conv_77d0",
          last_id: "conv_77d0",
          has_more: false,
        },
      }),
    },
    errors: [invalidLimit],
  },
  async handle({ responses }, request, reply): Promise<ConversationList> {
    const {
      limit = DEFAULT_LIMIT,
      order = "desc",
      after,
      query,
      metadata,
    } = parseInput(conversationListQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const owned = responses.of(ownerOf(request));
    const page = { limit, order, after };
    if (query !== undefined || metadata !== undefined) {
      const { found, hasMore } = await owned.conversations.search(
        { ...toSearch({ query, metadata }), ...page },
        createDisconnectSignal(reply),
      );
      const data = found.map(({ conversation, match }) => ({
        ...toConversationObject(owned, conversation),
        ...(match && { match: toMatchObject(match) }),
      }));
      return toConversationList(data, hasMore);
    }
    const { conversations, hasMore } = owned.conversations.page(page);
    const data = conversations.map((conversation) => toConversationObject(owned, conversation));
    return toConversationList(data, hasMore);
  },
};

const createConversationRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/conversations",
  access: access.inference,
  description: {
    operationId: "createConversation",
    summary: "Create a conversation",
    requestBody: {
      content: {
        [JSON_TYPE]: {
          schema: newConversation,
          example: { items: [{ role: "system", content: "Be brief." }] },
        },
      },
    },
    responses: { 200: conversationAnswer },
    errors: [invalidMetadata, itemNotFound, ...storeErrors, quotaError],
  },
  async handle({ responses }, request) {
    const body = await parseBody(newConversation, dropNulls(request.body) ?? {});
    const { items = [], metadata = {}, created_at, updated_at } = body;
    const owned = responses.of(ownerOf(request));
    const created = await owned.conversations.create(
      { metadata, items: toItems(items, (id) => owned.findStoredItem(id), "items") },
      { createdAt: toMilliseconds(created_at), changedAt: toMilliseconds(updated_at) },
    );
    return toConversationObject(owned, created);
  },
};

const getConversationRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/conversations/{id}",
  access: access.inference,
  description: {
    operationId: "getConversation",
    summary: "Get a conversation",
    requestParams: { path },
    responses: { 200: conversationAnswer },
    errors: [conversationNotFound],
  },
  async handle({ responses }, request) {
    const owned = responses.of(ownerOf(request));
    return toConversationObject(owned, owned.conversations.get(idOf(request)));
  },
};

const updateConversationRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/conversations/{id}",
  access: access.inference,
  description: {
    operationId: "updateConversation",
    summary: "Replace the metadata of a conversation",
    requestParams: { path },
    requestBody: jsonBody(conversationChange, { metadata: { topic: "greetings" } }),
    responses: { 200: conversationAnswer },
    errors: [invalidMetadata, conversationNotFound, ...storeErrors],
  },
  async handle({ responses }, request): Promise<ConversationObject> {
    const { metadata = {}, updated_at } = await parseBody(
      conversationChange,
      dropNulls(request.body),
    );
    const owned = responses.of(ownerOf(request));
    return toConversationObject(
      owned,
      await owned.conversations.replaceMetadata(idOf(request), metadata, updated_at),
    );
  },
};

const deleteConversationRoute: DescribedRoute<ResponsesContext> = {
  method: "DELETE",
  path: "/v1/conversations/{id}",
  access: access.inference,
  description: {
    operationId: "deleteConversation",
    summary: "Delete a conversation and its items",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "It was deleted.",
        schema: deletedConversation,
        example: { id: "conv_77d0", object: "conversation.deleted", deleted: true },
      }),
    },
    errors: [conversationNotFound, ...storeErrors],
  },
  async handle({ responses }, request) {
    const id = idOf(request);
    await responses.of(ownerOf(request)).conversations.remove(id);
    return { id, object: "conversation.deleted", deleted: true };
  },
};

const listItemsRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/conversations/{id}/items",
  access: access.inference,
  description: {
    operationId: "listConversationItems",
    summary: "List the items of a conversation",
    requestParams: { path, query: itemListQuery },
    responses: { 200: itemsAnswer },
    errors: [invalidLimit, conversationNotFound],
  },
  async handle({ responses }, request) {
    const page = parseInput(itemListQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const { conversations } = responses.of(ownerOf(request));
    return toItemList(conversations.get(idOf(request)).items, page);
  },
};

const createItemsRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/conversations/{id}/items",
  access: access.inference,
  description: {
    operationId: "createConversationItems",
    summary: "Add items to a conversation",
    requestParams: { path },
    requestBody: jsonBody(newItems, {
      items: [{ role: "user", content: "Hello! Who are you?" }],
    }),
    responses: { 200: itemsAnswer },
    errors: [
      createInvalidFieldError("items", 'expected an array of items, got "Hello"'),
      conversationNotFound,
      lockedConversation,
      ...storeErrors,
      quotaError,
    ],
  },
  async handle({ responses }, request) {
    const owned = responses.of(ownerOf(request));
    const { items: given } = await parseBody(newItems, request.body);
    const items = toItems(given, (id) => owned.findStoredItem(id), "items");
    await owned.addItems(idOf(request), items);
    return toItemList(items, { order: "asc", limit: items.length });
  },
};

const getItemRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/conversations/{id}/items/{item_id}",
  access: access.inference,
  description: {
    operationId: "getConversationItem",
    summary: "Get an item of a conversation",
    requestParams: { path: itemPath },
    responses: {
      200: jsonResponse({ description: "The item.", schema: storedItem, example: exampleItem }),
    },
    errors: [conversationNotFound],
  },
  handle: async ({ responses }, request) =>
    itemOf(responses.of(ownerOf(request)).conversations.get(idOf(request)), itemIdOf(request)),
};

const deleteItemRoute: DescribedRoute<ResponsesContext> = {
  method: "DELETE",
  path: "/v1/conversations/{id}/items/{item_id}",
  access: access.inference,
  description: {
    operationId: "deleteConversationItem",
    summary: "Delete an item of a conversation",
    requestParams: { path: itemPath },
    responses: { 200: conversationAnswer },
    errors: [conversationNotFound, ...storeErrors],
  },
  async handle({ responses }, request) {
    const owned = responses.of(ownerOf(request));
    return toConversationObject(
      owned,
      await owned.conversations.removeItem(idOf(request), itemIdOf(request)),
    );
  },
};

/** OpenAI's conversations: lists of items that responses continue and append to. */
export const conversationRoutes: readonly DescribedRoute<ResponsesContext>[] = [
  listConversationsRoute,
  createConversationRoute,
  getConversationRoute,
  updateConversationRoute,
  deleteConversationRoute,
  listItemsRoute,
  createItemsRoute,
  getItemRoute,
  deleteItemRoute,
];

function itemIdOf({ params }: { readonly params: unknown }): string {
  return (params as z.output<typeof itemPath>).item_id;
}

function toConversationList(
  data: readonly ListedConversation[],
  hasMore: boolean,
): ConversationList {
  return {
    object: "list",
    data: [...data],
    first_id: data[0]?.id ?? "",
    last_id: data.at(-1)?.id ?? "",
    has_more: hasMore,
  };
}

/** @param owned responses of the conversation's owner */
function toConversationObject(
  owned: ReturnType<ResponsesContext["responses"]["of"]>,
  { id, createdAt, changedAt, metadata }: StoredConversation,
): ConversationObject {
  return {
    id,
    object: "conversation",
    created_at: Math.floor(createdAt / 1000),
    updated_at: Math.floor(changedAt / 1000),
    metadata: { ...metadata },
    active_response_id: owned.findActiveResponse(id) ?? null,
  };
}
