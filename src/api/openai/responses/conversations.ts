import { GgufdError } from "../../../core/errors.js";
import type { StoredItem } from "./response-schema.js";
import type { ResponseStore, StoredConversation } from "./response-store.js";

/** Adds items to a stored conversation. */
export function appendItems(
  store: ResponseStore,
  conversation: StoredConversation,
  items: readonly StoredItem[],
): void {
  store.add({ ...conversation, items: [...conversation.items, ...items] });
}

/** @throws {GgufdError} `not_found` */
export function itemOf({ conversation, items }: StoredConversation, itemId: string): StoredItem {
  const found = items.find(({ id }) => id === itemId);
  if (found !== undefined) return found;
  throw new GgufdError(
    "not_found",
    `Item with id '${itemId}' not found in the conversation '${conversation.id}'.`,
  );
}
