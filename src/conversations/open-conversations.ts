import type { StoreLimits } from "../core/eviction.js";
import { createUnusableDataError } from "../files/locked-data.js";
import type { StoredItem } from "./conversation.js";
import { ConversationStore, type ConversationStoreOptions } from "./conversation-store.js";
import { ConversationFile, type ConversationFilePorts } from "./file/conversation-file.js";
import type { MissingLines } from "./file/replay.js";

const ENTRIES = 10_000;
/**
 * Not reached before the byte limit, unless conversations share items: a shared item counts once
 * in bytes, but once per conversation here.
 */
const ITEMS = 1_000_000;
const BYTES = 64 * 2 ** 20;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Limits in memory: conversations idle for a day are dropped. */
export const MEMORY_LIMITS: StoreLimits = {
  entries: ENTRIES,
  items: ITEMS,
  bytes: BYTES,
  idleMs: DAY_MS,
};

const FILE_LIMITS: StoreLimits = {
  entries: ENTRIES,
  items: ITEMS,
  bytes: BYTES,
  idleMs: Number.POSITIVE_INFINITY,
};

export interface OpenOptions<Item extends StoredItem>
  extends ConversationFilePorts,
    Pick<ConversationStoreOptions<Item>, "now" | "owners" | "onDropped" | "onFailed"> {
  /** Converts plain data to an item, or throws. */
  readonly parseItem: (value: unknown) => Item;
  /** Called when lines are missing from the file. Data that does not depend on them is loaded. */
  readonly onMissingLines?: (missing: MissingLines) => void;
  /** Limits of all owners together. @default 10,000 conversations, 1,000,000 items, 64 MiB */
  readonly limits?: StoreLimits;
}

/**
 * Opens the conversation file and locks out other processes until the store is closed. A missing
 * file is created, with its folders, by the first change.
 * @throws {StartupError} when the file is in use, unreadable or invalid; it is then left untouched
 */
export async function openConversations<Item extends StoredItem>(
  path: string,
  {
    parseItem,
    onMissingLines,
    limits = FILE_LIMITS,
    now,
    owners,
    onDropped,
    onFailed,
    ...ports
  }: OpenOptions<Item>,
): Promise<ConversationStore<Item>> {
  const storage = new ConversationFile<Item>(path, ports);
  try {
    const { conversations: initial, missing } = await storage.read(parseItem);
    if (missing !== undefined) onMissingLines?.(missing);
    return new ConversationStore({
      limits,
      initial,
      storage,
      ...(now && { now }),
      ...(owners && { owners }),
      ...(onDropped && { onDropped }),
      ...(onFailed && { onFailed }),
    });
  } catch (cause) {
    await storage.close();
    throw createUnusableDataError(`--conversations ${path}: the conversations file`, cause);
  }
}
