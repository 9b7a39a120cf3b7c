import { z } from "zod";
import { access } from "../../../core/api-keys.js";
import { GgufdError } from "../../../core/errors.js";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import type { DescribedRoute } from "../../description/described-route.js";
import { jsonBody } from "../../description/request-body.js";
import { JSON_TYPE, jsonResponse } from "../../description/responses.js";
import { dropNulls } from "../nulls.js";
import {
  appendItems,
  itemListQuery,
  itemOf,
  rejectLongConversation,
  toItemList,
} from "./conversation-items.js";
import {
  exampleItem,
  exampleItemList,
  idOf,
  idPath,
  invalid,
  invalidLimit,
  itemNotFound,
} from "./description.js";
import { toItems } from "./input-items.js";
import { newId } from "./new-id.js";
import {
  type ConversationObject,
  conversationObject,
  deletedConversation,
  itemList,
  storedItem,
} from "./response-schema.js";
import type { StoredConversation } from "./response-store.js";
import { ownerOf } from "./response-store.js";
import type { ResponsesContext } from "./responses.js";
import { conversationChange, newConversation, newItems } from "./schema.js";

const path = idPath("conv_77d0");
const itemPath = path.extend({ item_id: z.string().meta({ example: "msg_2f6b" }) });

const exampleConversation: ConversationObject = {
  id: "conv_77d0",
  object: "conversation",
  created_at: 1767225600,
  metadata: { topic: "greetings" },
};

const conversationNotFound = new GgufdError(
  "not_found",
  "Conversation with id 'conv_1' not found: it was not stored, or is stored no more.",
);
const invalidMetadata = invalid("metadata", 'expected an object of texts, got "greetings"');
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

const createConversationRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/conversations",
  access: access.inference,
  description: {
    operationId: "createConversation",
    summary: "Begin a conversation",
    requestBody: {
      content: {
        [JSON_TYPE]: {
          schema: newConversation,
          example: { items: [{ role: "system", content: "Be brief." }] },
        },
      },
    },
    responses: { 200: conversationAnswer },
    errors: [invalidMetadata, itemNotFound],
  },
  async handle({ responses }, request) {
    const store = responses.storeOf(ownerOf(request));
    const { items = [], metadata = {} } = await parseBody(
      newConversation,
      dropNulls(request.body) ?? {},
    );
    const conversation: StoredConversation = {
      type: "conversation",
      conversation: {
        id: newId("conv"),
        object: "conversation",
        created_at: Math.floor(Date.now() / 1000),
        metadata,
      },
      items: toItems(items, (id) => store.item(id), "items"),
    };
    store.add(conversation);
    return conversation.conversation;
  },
};

const getConversationRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/conversations/{id}",
  access: access.inference,
  description: {
    operationId: "getConversation",
    summary: "Find a conversation",
    requestParams: { path },
    responses: { 200: conversationAnswer },
    errors: [conversationNotFound],
  },
  handle: async ({ responses }, request) =>
    responses.storeOf(ownerOf(request)).conversation(idOf(request)).conversation,
};

const updateConversationRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/conversations/{id}",
  access: access.inference,
  description: {
    operationId: "updateConversation",
    summary: "Replace a conversation's metadata",
    requestParams: { path },
    requestBody: jsonBody(conversationChange, { metadata: { topic: "greetings" } }),
    responses: { 200: conversationAnswer },
    errors: [invalidMetadata, conversationNotFound],
  },
  async handle({ responses }, request): Promise<ConversationObject> {
    const { metadata = {} } = await parseBody(conversationChange, dropNulls(request.body));
    const store = responses.storeOf(ownerOf(request));
    const found = store.conversation(idOf(request));
    const conversation = { ...found.conversation, metadata };
    store.add({ ...found, conversation });
    return conversation;
  },
};

const deleteConversationRoute: DescribedRoute<ResponsesContext> = {
  method: "DELETE",
  path: "/v1/conversations/{id}",
  access: access.inference,
  description: {
    operationId: "deleteConversation",
    summary: "Delete a conversation with its items",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "It is gone.",
        schema: deletedConversation,
        example: { id: "conv_77d0", object: "conversation.deleted", deleted: true },
      }),
    },
    errors: [conversationNotFound],
  },
  async handle({ responses }, request) {
    const id = idOf(request);
    responses.storeOf(ownerOf(request)).deleteConversation(id);
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
    return toItemList(responses.storeOf(ownerOf(request)).conversation(idOf(request)).items, page);
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
    errors: [invalid("items", 'expected an array of items, got "Hello"'), conversationNotFound],
  },
  async handle({ responses }, request) {
    const store = responses.storeOf(ownerOf(request));
    const { items: given } = await parseBody(newItems, request.body);
    const items = toItems(given, (id) => store.item(id), "items");
    const conversation = store.conversation(idOf(request));
    rejectLongConversation(conversation.items, items, "items");
    appendItems(store, conversation, items);
    return toItemList(items, { order: "asc", limit: items.length });
  },
};

const getItemRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/conversations/{id}/items/{item_id}",
  access: access.inference,
  description: {
    operationId: "getConversationItem",
    summary: "Find an item of a conversation",
    requestParams: { path: itemPath },
    responses: {
      200: jsonResponse({ description: "The item.", schema: storedItem, example: exampleItem }),
    },
    errors: [conversationNotFound],
  },
  handle: async ({ responses }, request) =>
    itemOf(responses.storeOf(ownerOf(request)).conversation(idOf(request)), itemIdOf(request)),
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
    errors: [conversationNotFound],
  },
  async handle({ responses }, request) {
    const store = responses.storeOf(ownerOf(request));
    const found = store.conversation(idOf(request));
    const deleted = itemOf(found, itemIdOf(request));
    store.add({ ...found, items: found.items.filter((item) => item !== deleted) });
    return found.conversation;
  },
};

/** OpenAI's conversations: items that several responses continue, and append to. */
export const conversationRoutes: readonly DescribedRoute<ResponsesContext>[] = [
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
