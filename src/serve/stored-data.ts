import type { Logger } from "pino";
import type { StoredItem } from "../api/responses/item-schema.js";
import type { Config } from "../config/settings.js";
import type { ConversationStore } from "../conversations/conversation-store.js";
import type { KeyStore } from "../keys/key-store.js";
import { openTodoStore, type TodoStore } from "../todos/todo-store.js";
import { openServedBatches, type StoredBatches } from "./served-batches.js";
import { openServedConversations } from "./served-conversations.js";
import { openServedKeys, type ServedKeys } from "./served-keys.js";
import { openServedUsage, type StoredUsage } from "./served-usage.js";

/** Data that the server stores for clients. */
export interface StoredData {
  readonly todos: TodoStore;
  readonly conversations: ConversationStore<StoredItem>;
  readonly batches: StoredBatches;
  readonly usage: StoredUsage;
  /** Undefined: the server has no key store. */
  readonly keyStore: KeyStore | undefined;
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
  keys: ServedKeys,
  maxLineBytes: number,
  logger: Logger,
): Promise<StoredData> {
  const { ring } = keys;
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(opened.map((one) => one.close()));
  };
  const keep = <Data extends { close(): Promise<void> }>(data: Data): Data => {
    opened.push(data);
    return data;
  };
  try {
    // First, because the owners of stored data are keys.
    const keyStore = await openServedKeys(config, keys);
    if (keyStore !== undefined) keep(keyStore);
    const todos = keep(await openTodoStore(config.todos));
    const conversations = keep(await openServedConversations(config, ring.owners, logger));
    const batches = keep(await openServedBatches(config, ring, maxLineBytes, logger));
    const usage = keep(await openServedUsage(config, logger));
    return { todos, conversations, batches, usage, keyStore, close };
  } catch (error) {
    await close();
    throw error;
  }
}
