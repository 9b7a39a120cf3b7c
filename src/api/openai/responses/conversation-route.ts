import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import { dropNulls } from "../drop-nulls.js";
import { rejectLongConversation } from "./conversation-limit.js";
import { conversationChange, newConversation, newItems } from "./conversation-schema.js";
import { appendItems, itemOf } from "./conversations.js";
import { itemListQuery, toItemList } from "./list-query.js";
import { newId } from "./new-id.js";
import { ownerOf } from "./owner.js";
import type { ConversationObject, ItemList } from "./response-schema.js";
import type { ResponseStores, StoredConversation } from "./response-store.js";
import { toItems } from "./to-items.js";

interface ConversationPath {
  Params: { id: string };
}
interface ItemPath {
  Params: { id: string; item_id: string };
}

/** OpenAI's conversations: `/v1/conversations` and what is below. */
export function conversationRoutes(stores: ResponseStores): FastifyPluginAsync {
  const storeOf = (request: FastifyRequest) => stores.of(ownerOf(request));
  return async (app) => {
    app.post("/v1/conversations", async (request): Promise<ConversationObject> => {
      const store = storeOf(request);
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
    });

    app.get<ConversationPath>(
      "/v1/conversations/:id",
      async (request): Promise<ConversationObject> =>
        storeOf(request).conversation(request.params.id).conversation,
    );

    app.post<ConversationPath>(
      "/v1/conversations/:id",
      async (request): Promise<ConversationObject> => {
        const { metadata = {} } = await parseBody(conversationChange, dropNulls(request.body));
        const store = storeOf(request);
        const found = store.conversation(request.params.id);
        const conversation = { ...found.conversation, metadata };
        store.add({ ...found, conversation });
        return conversation;
      },
    );

    app.delete<ConversationPath>("/v1/conversations/:id", async (request) => {
      const { id } = request.params;
      storeOf(request).deleteConversation(id);
      return { id, object: "conversation.deleted", deleted: true };
    });

    app.get<ConversationPath>("/v1/conversations/:id/items", async (request): Promise<ItemList> => {
      const page = parseInput(itemListQuery, request.query, {
        code: "invalid_request",
        inputName: "query",
      });
      return toItemList(storeOf(request).conversation(request.params.id).items, page);
    });

    app.post<ConversationPath>(
      "/v1/conversations/:id/items",
      async (request): Promise<ItemList> => {
        const store = storeOf(request);
        const { items: given } = await parseBody(newItems, request.body);
        const items = toItems(given, (id) => store.item(id), "items");
        const conversation = store.conversation(request.params.id);
        rejectLongConversation(conversation.items, items, "items");
        appendItems(store, conversation, items);
        return toItemList(items, { order: "asc", limit: items.length });
      },
    );

    app.get<ItemPath>("/v1/conversations/:id/items/:item_id", async (request) =>
      itemOf(storeOf(request).conversation(request.params.id), request.params.item_id),
    );

    app.delete<ItemPath>(
      "/v1/conversations/:id/items/:item_id",
      async (request): Promise<ConversationObject> => {
        const store = storeOf(request);
        const found = store.conversation(request.params.id);
        const deleted = itemOf(found, request.params.item_id);
        store.add({ ...found, items: found.items.filter((item) => item !== deleted) });
        return found.conversation;
      },
    );
  };
}
