import type { Logger } from "pino";
import type { StoredItem } from "../api/responses/item-schema.js";
import type { Config } from "../config/settings.js";
import type { ConversationStore } from "../conversations/conversation-store.js";
import type { StoreOwners } from "../core/store-quota.js";
import { openTodoStore, type TodoStore } from "../todos/todo-store.js";
import { openServedConversations } from "./served-conversations.js";

/** Data that the server stores for clients. */
export interface StoredData {
  readonly todos: TodoStore;
  readonly conversations: ConversationStore<StoredItem>;
  /** Resolves when all changes are settled. */
  close(): Promise<void>;
}

/**
 * Opens the files of stored data and locks other daemons out of them.
 * @throws {StartupError} if a file is in use or invalid
 */
export async function openStoredData(
  config: Config,
  owners: StoreOwners,
  logger: Logger,
): Promise<StoredData> {
  const todos = await openTodoStore(config.todos);
  try {
    const conversations = await openServedConversations(config, owners, logger);
    const close = async () => {
      await Promise.all([todos.close(), conversations.close()]);
    };
    return { todos, conversations, close };
  } catch (error) {
    await todos.close();
    throw error;
  }
}
