import { computed, signal } from "@preact/signals";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject, ItemList } from "../../api/responses/response-schema.js";
import { messageOf } from "../api/api-error.js";
import { client } from "../session.js";
import { rootOf, selectLatestBranches } from "./branches.js";

const PATH = "/v1/conversations";
/** The server's maximum page size. */
const PAGE_SIZE = 100;

/** All conversations read so far, including branches. */
const knownConversations = signal<readonly ConversationObject[]>([]);
/** Id of the last conversation read, for the next page; `undefined`: there are no more. */
const nextAfter = signal<string | undefined>("");

/** One conversation per family, most recently changed first. */
export const conversations = computed(() => selectLatestBranches(knownConversations.value));

export const hasMoreConversations = computed(() => nextAfter.value !== undefined);

/** Why the conversations cannot be listed, as reported by the server. */
export const listError = signal<string | undefined>(undefined);

interface ConversationList {
  readonly data: readonly ConversationObject[];
  readonly last_id: string;
  readonly has_more: boolean;
}

/** Reads the conversations again, from the first page. */
export async function readConversations(): Promise<void> {
  nextAfter.value = "";
  await readMoreConversations();
}

/** Reads the next page. */
export async function readMoreConversations(): Promise<void> {
  const after = nextAfter.value;
  if (after === undefined) return;
  try {
    const page = await client.json<ConversationList>(
      `${PATH}?limit=${PAGE_SIZE}${after === "" ? "" : `&after=${after}`}`,
    );
    knownConversations.value =
      after === "" ? page.data : [...listKnownExcept(page.data), ...page.data];
    nextAfter.value = page.has_more ? page.last_id : undefined;
    listError.value = undefined;
  } catch (error) {
    listError.value = messageOf(error);
  }
}

function listKnownExcept(others: readonly ConversationObject[]): readonly ConversationObject[] {
  const ids = new Set(others.map(({ id }) => id));
  return knownConversations.value.filter(({ id }) => !ids.has(id));
}

/** Returns all conversations with the same root. */
export function familyOf(conversation: ConversationObject): readonly ConversationObject[] {
  const root = rootOf(conversation);
  return knownConversations.value.filter((one) => rootOf(one) === root);
}

function remember(conversation: ConversationObject): ConversationObject {
  knownConversations.value = [conversation, ...listKnownExcept([conversation])];
  return conversation;
}

/** @throws {ApiError} */
export async function readConversation(id: string): Promise<ConversationObject> {
  return remember(await client.json<ConversationObject>(`${PATH}/${id}`));
}

/** Reads all items of a conversation. @throws {ApiError} */
export async function readItems(id: string): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  for (let after = ""; ; ) {
    const query = `limit=${PAGE_SIZE}&order=asc${after === "" ? "" : `&after=${after}`}`;
    const page = await client.json<ItemList>(`${PATH}/${id}/items?${query}`);
    items.push(...page.data);
    if (!page.has_more) return items;
    after = page.last_id;
  }
}

/** An item as sent in a request. */
export type NewItem =
  | {
      readonly type: "message";
      readonly role: "user" | "system" | "assistant";
      readonly content: readonly NewPart[];
    }
  | { readonly type: "item_reference"; readonly id: string }
  | {
      readonly type: "function_call_output" | "custom_tool_call_output";
      readonly call_id: string;
      readonly output: string;
    };

type NewPart =
  | { readonly type: "input_text" | "output_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string };

/** @throws {ApiError} */
export async function createConversation(
  metadata: Readonly<Record<string, string>>,
  items: readonly NewItem[] = [],
): Promise<ConversationObject> {
  const body = { metadata, items };
  return remember(await client.json<ConversationObject>(PATH, { method: "POST", body }));
}

/** @returns the items as stored @throws {ApiError} */
export async function addItems(
  id: string,
  items: readonly NewItem[],
): Promise<readonly StoredItem[]> {
  const path = `${PATH}/${id}/items`;
  return (await client.json<ItemList>(path, { method: "POST", body: { items } })).data;
}

/** Replaces a conversation's metadata. @throws {ApiError} */
export async function changeMetadata(
  id: string,
  metadata: Readonly<Record<string, string>>,
): Promise<ConversationObject> {
  const body = { metadata };
  return remember(await client.json<ConversationObject>(`${PATH}/${id}`, { method: "POST", body }));
}

/** Renames a conversation and its branches. @throws {ApiError} */
export async function renameFamily(conversation: ConversationObject, title: string): Promise<void> {
  for (const { id, metadata } of familyOf(conversation)) {
    await changeMetadata(id, { ...metadata, title });
  }
}

/** Deletes a conversation and its branches. @throws {ApiError} */
export async function removeFamily(conversation: ConversationObject): Promise<void> {
  for (const { id } of familyOf(conversation)) {
    await client.json(`${PATH}/${id}`, { method: "DELETE" });
    knownConversations.value = knownConversations.value.filter((one) => one.id !== id);
  }
}
