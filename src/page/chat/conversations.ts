import { computed, signal } from "@preact/signals";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type {
  ConversationObject,
  ItemList,
  ListedConversation,
} from "../../api/responses/response-schema.js";
import { ApiError, messageOf } from "../api/api-error.js";
import type { FilePart } from "../attachments/attachment.js";
import { client, onSessionEnd } from "../session.js";
import { rootOf, selectLatestBranches } from "./branches.js";
import { PINNED } from "./conversation-groups.js";

const PATH = "/v1/conversations";
/** The server's maximum page size. */
const PAGE_SIZE = 100;

/** All conversations read so far, including branches, by id. */
const knownConversations = signal<ReadonlyMap<string, ConversationObject>>(new Map());
/** Id of the last conversation read, for the next page; `undefined`: there are no more. */
const nextAfter = signal<string | undefined>("");

/** Roots of families that are not listed, because they are about to be deleted. */
export const hiddenRoots = signal<ReadonlySet<string>>(new Set());

// Another key has other conversations.
onSessionEnd(() => {
  knownConversations.value = new Map();
  nextAfter.value = "";
  hiddenRoots.value = new Set();
});

/** One conversation per family, most recently changed first. */
export const conversations = computed(() => {
  const latest = selectLatestBranches([...knownConversations.value.values()]);
  const hidden = hiddenRoots.value;
  return hidden.size === 0 ? latest : latest.filter((one) => !hidden.has(rootOf(one)));
});

export const hasMoreConversations = computed(() => nextAfter.value !== undefined);

/** Whether only some of the conversations have been read. */
export const isListPartial = computed(
  () => nextAfter.value !== undefined && nextAfter.value !== "",
);

/** Why the conversations cannot be listed, as reported by the server. */
export const listError = signal<string | undefined>(undefined);

export interface ConversationPage {
  readonly data: readonly ListedConversation[];
  readonly last_id: string;
  readonly has_more: boolean;
}

/** Reads a page of conversations. @throws {ApiError} */
export function readPage(
  parameters: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<ConversationPage> {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...parameters });
  return client.json<ConversationPage>(`${PATH}?${query}`, { ...(signal && { signal }) });
}

/** Reads all pages of conversations. @throws {ApiError} */
export async function readAllPages(
  parameters: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<readonly ConversationObject[]> {
  const found: ConversationObject[] = [];
  for (let after: string | undefined; ; ) {
    const page = await readPage({ ...parameters, ...(after !== undefined && { after }) }, signal);
    found.push(...page.data);
    if (!page.has_more) return found;
    after = page.last_id;
  }
}

/** Reads the conversations again: the first page, and the pinned ones. */
export async function readConversations(): Promise<void> {
  nextAfter.value = "";
  await readMoreConversations();
}

let reading: Promise<void> | undefined;

/** Reads the next page. */
export function readMoreConversations(): Promise<void> {
  reading ??= readNextPage().finally(() => {
    reading = undefined;
  });
  return reading;
}

async function readNextPage(): Promise<void> {
  const after = nextAfter.value;
  if (after === undefined) return;
  const isFirst = after === "";
  if (isFirst) changedIds.clear();
  try {
    const [page, pinned] = await Promise.all([
      readPage(isFirst ? {} : { after }),
      isFirst ? readAllPages({ metadata: `pinned:${PINNED}` }) : [],
    ]);
    const former = isFirst ? listKnownOutside(page) : knownConversations.value.values();
    knownConversations.value = toMap([...former, ...page.data, ...pinned]);
    nextAfter.value = page.has_more ? page.last_id : undefined;
    listError.value = undefined;
  } catch (error) {
    // The conversation that the next page follows was deleted.
    if (!isFirst && error instanceof ApiError && error.status === 400) return readFromStart();
    listError.value = messageOf(error);
  }
}

function readFromStart(): Promise<void> {
  nextAfter.value = "";
  return readNextPage();
}

/** Ids of the conversations that have changed since the first page was requested. */
const changedIds = new Set<string>();

/**
 * Returns the known conversations that the first page of the list cannot contain. Other known ones
 * that it lacks were deleted elsewhere.
 */
function listKnownOutside({ data, has_more }: ConversationPage): readonly ConversationObject[] {
  const oldest = has_more ? (data.at(-1)?.updated_at ?? 0) : 0;
  return [...knownConversations.value.values()].filter(
    ({ id, updated_at }) => changedIds.has(id) || updated_at < oldest,
  );
}

function toMap(list: readonly ConversationObject[]): ReadonlyMap<string, ConversationObject> {
  return new Map(list.map((conversation) => [conversation.id, conversation]));
}

const families = computed(() => {
  const byRoot = new Map<string, ConversationObject[]>();
  for (const conversation of knownConversations.value.values()) {
    const root = rootOf(conversation);
    const family = byRoot.get(root);
    if (family === undefined) byRoot.set(root, [conversation]);
    else family.push(conversation);
  }
  return byRoot;
});

/** Returns the known conversations with the same root. */
export function familyOf(conversation: ConversationObject): readonly ConversationObject[] {
  return families.value.get(rootOf(conversation)) ?? [];
}

/** Returns the root of a conversation; `undefined`: the conversation is not known. */
export function knownRootOf(id: string): string | undefined {
  const conversation = knownConversations.value.get(id);
  return conversation && rootOf(conversation);
}

/** Reads all conversations with the same root. @throws {ApiError} */
export async function readFamily(
  conversation: ConversationObject,
): Promise<readonly ConversationObject[]> {
  const root = rootOf(conversation);
  const [branches, origin] = await Promise.all([
    readAllPages({ metadata: `root:${root}` }),
    client.json<ConversationObject>(`${PATH}/${root}`).catch(ignoreMissing),
  ]);
  const family = [...branches, ...(origin ? [origin] : [])];
  const others = [...knownConversations.value.values()].filter((one) => rootOf(one) !== root);
  knownConversations.value = toMap([...family, ...others]);
  return family;
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

function remember(conversation: ConversationObject): ConversationObject {
  changedIds.add(conversation.id);
  knownConversations.value = new Map(knownConversations.value).set(conversation.id, conversation);
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
    }
  | {
      readonly type: "mcp_approval_response";
      readonly approval_request_id: string;
      readonly approve: boolean;
    };

type NewPart = { readonly type: "input_text" | "output_text"; readonly text: string } | FilePart;

/** Refers to a stored item, to share it between branches. */
export function toReference({ id }: Pick<StoredItem, "id">): NewItem {
  return { type: "item_reference", id };
}

/** @throws {ApiError} */
export async function createConversation(
  metadata: Readonly<Record<string, string>>,
  items: readonly NewItem[] = [],
): Promise<ConversationObject> {
  const body = { metadata, items };
  return remember(await client.json<ConversationObject>(PATH, { method: "POST", body }));
}

/** Creates a conversation from elsewhere, without listing it. @throws {ApiError} */
export function createForeignConversation(body: unknown): Promise<ConversationObject> {
  return client.json<ConversationObject>(PATH, { method: "POST", body });
}

/** @returns the items as stored @throws {ApiError} */
export async function addItems(
  id: string,
  items: readonly NewItem[],
): Promise<readonly StoredItem[]> {
  const path = `${PATH}/${id}/items`;
  return (await client.json<ItemList>(path, { method: "POST", body: { items } })).data;
}

/**
 * Replaces a conversation's metadata.
 * @param updatedAt time of the last change to keep; absent: the current time
 * @throws {ApiError}
 */
export async function changeMetadata(
  id: string,
  metadata: Readonly<Record<string, string>>,
  updatedAt?: number,
): Promise<ConversationObject> {
  const body = { metadata, ...(updatedAt !== undefined && { updated_at: updatedAt }) };
  return remember(await client.json<ConversationObject>(`${PATH}/${id}`, { method: "POST", body }));
}

/**
 * Changes the metadata of a conversation and its branches; they keep their places in the list.
 * @throws {ApiError}
 */
export async function changeFamily(
  conversation: ConversationObject,
  change: (metadata: ConversationObject["metadata"]) => Readonly<Record<string, string>>,
): Promise<readonly ConversationObject[]> {
  const changed: ConversationObject[] = [];
  for (const { id, metadata, updated_at } of await readFamily(conversation)) {
    changed.push(await changeMetadata(id, change(metadata), updated_at));
  }
  return changed;
}

/** Deletes a conversation and its branches. @throws {ApiError} */
export async function removeFamily(conversation: ConversationObject): Promise<void> {
  for (const { id } of await readFamily(conversation)) {
    await deleteConversation(id);
    const others = new Map(knownConversations.value);
    others.delete(id);
    knownConversations.value = others;
  }
}

/** Number of deletions that are requested at the same time. */
const CONCURRENT_DELETIONS = 6;

/** Deletes all conversations. @param onProgress called with the number so far @throws {ApiError} */
export async function removeAllConversations(onProgress: (count: number) => void): Promise<void> {
  let count = 0;
  for (;;) {
    const ids = (await readPage({})).data.map(({ id }) => id);
    if (ids.length === 0) break;
    const removeRest = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        await deleteConversation(id);
        onProgress(++count);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_DELETIONS }, removeRest));
  }
  await readConversations();
}

async function deleteConversation(id: string): Promise<void> {
  await client.json(`${PATH}/${id}`, { method: "DELETE" }).catch(ignoreMissing);
}
