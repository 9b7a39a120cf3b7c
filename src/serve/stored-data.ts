import type { Logger } from "pino";
import type { StoredItem } from "../api/responses/item-schema.js";
import type { Config } from "../config/settings.js";
import type { ConversationStore } from "../conversations/conversation-store.js";
import type { KeyRing } from "../http/keys/key-ring.js";
import { openTodoStore, type TodoStore } from "../todos/todo-store.js";
import { openServedBatches, type StoredBatches } from "./served-batches.js";
import { openServedConversations } from "./served-conversations.js";
import { openServedUsage, type StoredUsage } from "./served-usage.js";

/** Data that the server stores for clients. */
export interface StoredData {
  readonly todos: TodoStore;
  readonly conversations: ConversationStore<StoredItem>;
  readonly batches: StoredBatches;
  readonly usage: StoredUsage;
  /** Resolves when all changes are settled. */
  close(): Promise<void>;
}

/**
 * Opens the files of stored data and locks other daemons out of them.
 * @param maxLineBytes see {@link openServedBatches}
 * @throws {StartupError} if a file is in use or invalid
 */
export async function openStoredData(
  config: Config,
  keys: KeyRing,
  maxLineBytes: number,
  logger: Logger,
): Promise<StoredData> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(opened.map((one) => one.close()));
  };
  const keep = <Data extends { close(): Promise<void> }>(data: Data): Data => {
    opened.push(data);
    return data;
  };
  try {
    const todos = keep(await openTodoStore(config.todos));
    const conversations = keep(await openServedConversations(config, keys.owners, logger));
    const batches = keep(await openServedBatches(config, keys, maxLineBytes, logger));
    const usage = keep(await openServedUsage(config, logger));
    return { todos, conversations, batches, usage, close };
  } catch (error) {
    await close();
    throw error;
  }
}
