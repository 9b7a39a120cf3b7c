import type { ConversationObject } from "../../../api/responses/response-schema.js";
import { ApiError, messageOf } from "../../api/api-error.js";
import { buildBranchMetadata } from "../branches.js";
import type { ImportedBranch, ImportedConversation, ImportedItem } from "./imported.js";

/** A conversation that the server did not accept. */
export interface FailedImport {
  readonly title: string;
  readonly reason: string;
}

export interface ImportOutcome {
  /** Number of complete conversations. */
  readonly stored: number;
  readonly failed: readonly FailedImport[];
  /** Why the import ended early; `undefined`: it did not. */
  readonly stopped: string | undefined;
}

/** Requests to the server. */
export interface ImportPorts {
  readonly create: (body: unknown) => Promise<Pick<ConversationObject, "id" | "metadata">>;
  readonly readItems: (id: string) => Promise<readonly { readonly id: string }[]>;
}

interface ImportOptions extends ImportPorts {
  /** Called with the number of conversations so far. */
  readonly onProgress: (count: number) => void;
  /** Ends the import after the current conversation. */
  readonly signal: AbortSignal;
}

/** Stores imported conversations, one after the other. Conversations that the server rejects are skipped. */
export async function storeImported(
  conversations: readonly ImportedConversation[],
  { onProgress, signal, ...ports }: ImportOptions,
): Promise<ImportOutcome> {
  const failed: FailedImport[] = [];
  for (const [index, conversation] of conversations.entries()) {
    const stored = index - failed.length;
    if (signal.aborted) return { stored, failed, stopped: "Cancelled" };
    try {
      await storeConversation(conversation, ports);
    } catch (error) {
      if (!isRejection(error)) return { stored, failed, stopped: messageOf(error) };
      failed.push({ title: conversation.title, reason: error.message });
    }
    onProgress(index + 1);
  }
  return { stored: conversations.length - failed.length, failed, stopped: undefined };
}

/** Whether the server rejected a conversation because of its content or size. */
function isRejection(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return [400, 413, 422].includes(error.status) || error.code === "storage_quota_exceeded";
}

interface StoredBranch {
  readonly conversation: Pick<ConversationObject, "id" | "metadata">;
  readonly items: readonly ImportedItem[];
}

async function storeConversation(
  { title, metadata, times, branches }: ImportedConversation,
  { create, readItems }: ImportPorts,
): Promise<void> {
  const idsOfItems = new Map<ImportedItem, string>();
  const stored: StoredBranch[] = [];
  for (const [index, branch] of branches.entries()) {
    const isLast = index === branches.length - 1;
    const { items } = branch;
    const own = { title, ...metadata, ...branch.metadata };
    const conversation = await create({
      metadata: { ...buildForkMetadata(items, stored, idsOfItems), ...own },
      items: items.map((item) => {
        const id = idsOfItems.get(item);
        return id === undefined ? item : { type: "item_reference", id };
      }),
      ...toRequestTimes(branch.times ?? (isLast ? times : toEarlierTimes(times))),
    });
    stored.push({ conversation, items });
    if (isLast) return;
    const storedItems = await readItems(conversation.id);
    for (const [position, item] of items.entries()) {
      const id = storedItems[position]?.id;
      if (id !== undefined) idsOfItems.set(item, id);
    }
  }
}

/** Builds the metadata that make a conversation a branch of the one with most common items. */
function buildForkMetadata(
  items: readonly ImportedItem[],
  stored: readonly StoredBranch[],
  idsOfItems: ReadonlyMap<ImportedItem, string>,
): Readonly<Record<string, string>> {
  let parent: StoredBranch | undefined;
  let common = -1;
  for (const branch of stored) {
    const length = countCommonItems(branch.items, items);
    if (length > common) [parent, common] = [branch, length];
  }
  if (parent === undefined) return {};
  const last = common === 0 ? undefined : items[common - 1];
  const after = last === undefined ? "" : (idsOfItems.get(last) ?? "");
  return buildBranchMetadata(parent.conversation, after);
}

function countCommonItems(one: readonly ImportedItem[], other: readonly ImportedItem[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count++;
  return count;
}

/** Returns the times of a branch that is not shown: the latest branch is the one that is listed. */
function toEarlierTimes({ createdAt, updatedAt }: ImportedConversation["times"]) {
  return { createdAt, updatedAt: updatedAt === undefined ? undefined : Math.max(0, updatedAt - 1) };
}

function toRequestTimes({ createdAt, updatedAt }: NonNullable<ImportedBranch["times"]>) {
  return {
    ...(createdAt !== undefined && { created_at: createdAt }),
    ...(updatedAt !== undefined && { updated_at: updatedAt }),
  };
}
