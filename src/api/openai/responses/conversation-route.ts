import type { FastifyPluginAsync } from "fastify";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import { dropNulls } from "../drop-nulls.js";
import { conversationChange, newConversation, newItems } from "./conversation-schema.js";
import { appendItems, itemOf } from "./conversations.js";
import { itemListQuery, toItemList } from "./list-query.js";
import { newId } from "./new-id.js";
import type { ConversationObject, ItemList } from "./response-schema.js";
import type { ResponseStore, StoredConversation } from "./response-store.js";
import { toItems } from "./to-items.js";

interface ConversationPath {
  Params: { id: string };
}
interface ItemPath {
  Params: { id: string; item_id: string };
}

/** OpenAI's conversations: `/v1/conversations` and what is below. */
export function conversationRoutes(store: ResponseStore): FastifyPluginAsync {
  const findItem = (id: string) => store.item(id);
  return async (app) => {
    app.post("/v1/conversations", async ({ body }): Promise<ConversationObject> => {
      const { items = [], metadata = {} } = parseBody(newConversation, dropNulls(body) ?? {});
      const conversation: StoredConversation = {
        type: "conversation",
        conversation: {
          id: newId("conv"),
          object: "conversation",
          created_at: Math.floor(Date.now() / 1000),
          metadata,
        },
        items: toItems(items, findItem, "items"),
      };
      store.add(conversation);
      return conversation.conversation;
    });

    app.get<ConversationPath>(
      "/v1/conversations/:id",
      async ({ params }): Promise<ConversationObject> => store.conversation(params.id).conversation,
    );

    app.post<ConversationPath>(
      "/v1/conversations/:id",
      async ({ params, body }): Promise<ConversationObject> => {
        const { metadata = {} } = parseBody(conversationChange, dropNulls(body));
        const found = store.conversation(params.id);
        const conversation = { ...found.conversation, metadata };
        store.add({ ...found, conversation });
        return conversation;
      },
    );

    app.delete<ConversationPath>("/v1/conversations/:id", async ({ params: { id } }) => {
      store.deleteConversation(id);
      return { id, object: "conversation.deleted", deleted: true };
    });

    app.get<ConversationPath>(
      "/v1/conversations/:id/items",
      async ({ params, query }): Promise<ItemList> => {
        const page = parseInput(itemListQuery, query, {
          code: "invalid_request",
          inputName: "query",
        });
        return toItemList(store.conversation(params.id).items, page);
      },
    );

    app.post<ConversationPath>(
      "/v1/conversations/:id/items",
      async ({ params, body }): Promise<ItemList> => {
        const items = toItems(parseBody(newItems, body).items, findItem, "items");
        appendItems(store, store.conversation(params.id), items);
        return toItemList(items, { order: "asc", limit: items.length });
      },
    );

    app.get<ItemPath>("/v1/conversations/:id/items/:item_id", async ({ params }) =>
      itemOf(store.conversation(params.id), params.item_id),
    );

    app.delete<ItemPath>(
      "/v1/conversations/:id/items/:item_id",
      async ({ params }): Promise<ConversationObject> => {
        const found = store.conversation(params.id);
        const deleted = itemOf(found, params.item_id);
        store.add({ ...found, items: found.items.filter((item) => item !== deleted) });
        return found.conversation;
      },
    );
  };
}
