import { z } from "zod";
import { GgufdError } from "../../../core/errors.js";
import type { ApiPart } from "../../description/part.js";
import { errorResponses, JSON_TYPE, jsonResponse } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { openAiErrorFormat } from "../openapi.js";
import { conversationChange, newConversation, newItems } from "./conversation-schema.js";
import {
  changeErrors,
  exampleItem,
  exampleItemList,
  idPath,
  invalid,
  itemNotFound,
  readErrors,
  responsesTag,
  versionHeader,
} from "./description.js";
import { itemListQuery } from "./list-query.js";
import {
  type ConversationObject,
  conversationObject,
  deletedConversation,
  itemList,
  storedItem,
} from "./response-schema.js";

const path = idPath("conv_77d0");
const itemPath = z.object({
  id: z.string().meta({ example: "conv_77d0" }),
  item_id: z.string().meta({ example: "msg_2f6b" }),
});

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
const conversation = jsonResponse({
  description: "The conversation.",
  schema: conversationObject,
  example: exampleConversation,
});
const items = jsonResponse({
  description: "A page of items.",
  schema: itemList,
  example: exampleItemList,
});
const common = { tags: [responsesTag], security: optionalApiKey };

/** Conversations: items that several responses go on with, and add to. */
export const conversationPaths: ApiPart["paths"] = {
  "/v1/conversations": {
    post: {
      ...common,
      operationId: "createConversation",
      summary: "Begin a conversation",
      requestParams: { header: versionHeader },
      requestBody: {
        content: {
          [JSON_TYPE]: {
            schema: newConversation,
            example: { items: [{ role: "system", content: "Be brief." }] },
          },
        },
      },
      responses: {
        200: conversation,
        ...errorResponses(openAiErrorFormat, [...changeErrors, invalidMetadata, itemNotFound]),
      },
    },
  },
  "/v1/conversations/{id}": {
    get: {
      ...common,
      operationId: "getConversation",
      summary: "Find a conversation",
      requestParams: { header: versionHeader, path },
      responses: {
        200: conversation,
        ...errorResponses(openAiErrorFormat, [...readErrors, conversationNotFound]),
      },
    },
    post: {
      ...common,
      operationId: "updateConversation",
      summary: "Replace a conversation's metadata",
      requestParams: { header: versionHeader, path },
      requestBody: {
        required: true,
        content: {
          [JSON_TYPE]: {
            schema: conversationChange,
            example: { metadata: { topic: "greetings" } },
          },
        },
      },
      responses: {
        200: conversation,
        ...errorResponses(openAiErrorFormat, [
          ...changeErrors,
          invalidMetadata,
          conversationNotFound,
        ]),
      },
    },
    delete: {
      ...common,
      operationId: "deleteConversation",
      summary: "Delete a conversation with its items",
      requestParams: { header: versionHeader, path },
      responses: {
        200: jsonResponse({
          description: "It is gone.",
          schema: deletedConversation,
          example: { id: "conv_77d0", object: "conversation.deleted", deleted: true },
        }),
        ...errorResponses(openAiErrorFormat, [...changeErrors, conversationNotFound]),
      },
    },
  },
  "/v1/conversations/{id}/items": {
    get: {
      ...common,
      operationId: "listConversationItems",
      summary: "List the items of a conversation",
      requestParams: { header: versionHeader, path, query: itemListQuery },
      responses: {
        200: items,
        ...errorResponses(openAiErrorFormat, [
          ...readErrors,
          invalid("limit", 'expected an integer from 1 to 100, got "1000"'),
          conversationNotFound,
        ]),
      },
    },
    post: {
      ...common,
      operationId: "createConversationItems",
      summary: "Add items to a conversation",
      requestParams: { header: versionHeader, path },
      requestBody: {
        required: true,
        content: {
          [JSON_TYPE]: {
            schema: newItems,
            example: { items: [{ role: "user", content: "Hello! Who are you?" }] },
          },
        },
      },
      responses: {
        200: items,
        ...errorResponses(openAiErrorFormat, [
          ...changeErrors,
          invalid("items", 'expected an array of items, got "Hello"'),
          conversationNotFound,
        ]),
      },
    },
  },
  "/v1/conversations/{id}/items/{item_id}": {
    get: {
      ...common,
      operationId: "getConversationItem",
      summary: "Find an item of a conversation",
      requestParams: { header: versionHeader, path: itemPath },
      responses: {
        200: jsonResponse({ description: "The item.", schema: storedItem, example: exampleItem }),
        ...errorResponses(openAiErrorFormat, [...readErrors, conversationNotFound]),
      },
    },
    delete: {
      ...common,
      operationId: "deleteConversationItem",
      summary: "Delete an item of a conversation",
      requestParams: { header: versionHeader, path: itemPath },
      responses: {
        200: conversation,
        ...errorResponses(openAiErrorFormat, [...changeErrors, conversationNotFound]),
      },
    },
  },
};
