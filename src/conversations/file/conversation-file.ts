import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { GgufdError } from "../../core/errors.js";
import { sumBy } from "../../core/sum-by.js";
import { replaceDurably, writeAll } from "../../files/durable-file.js";
import {
  createChangedFileError,
  ExclusiveFile,
  type ExclusiveFilePorts,
} from "../../files/exclusive-file.js";
import type { FileStats, FileSystem } from "../../files/file-system.js";
import { createStorageError } from "../../files/storage-error.js";
import { isDiskFull, unlessMissing, writeFailureOf } from "../../files/system-errors.js";
import type { Conversation, StoredItem } from "../conversation.js";
import type { ConversationStorage } from "../conversation-store.js";
import type { Changes, ConversationTable } from "../conversation-table.js";
import { HEAD_LINE, toGroup } from "./journal-lines.js";
import { type ReplayResult, replay } from "./replay.js";
import { WrittenRecords } from "./written-records.js";

export interface ConversationFilePorts extends ExclusiveFilePorts {
  /** Obsolete bytes permitted in addition to twice the live bytes. @default 64 KiB */
  readonly slackBytes?: number;
}

const SLACK_BYTES = 65_536;

/** Private: only the daemon reads the file. */
const MODE = 0o600;

/** Number of the first line after the head. */
const FIRST_LINE = 2;

/** Known state of the file. */
type FileState =
  /** There is no file. */
  | { readonly kind: "absent" }
  /**
   * The file was written by another process, which may have exited before its last write was
   * durable: it is replaced before anything is appended, unless the disk is full.
   */
  | { readonly kind: "found"; readonly stats: FileStats; readonly bytes: number }
  /** The first `bytes` bytes are durable; anything after them is left over from a failed write. */
  | { readonly kind: "sound"; readonly stats: FileStats; readonly bytes: number }
  /** A sync has failed, so none of the content is reliable: the file is replaced. */
  | { readonly kind: "doubtful" };

/** The conversations read from a file. */
export interface ReadConversations<Item extends StoredItem>
  extends Pick<ReplayResult<Item>, "conversations" | "missing"> {}

/** All conversations, serialised for a new version of the file. */
interface PrintedFile<Item extends StoredItem> {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly written: WrittenRecords<Item>;
  readonly nextNumber: number;
  readonly nextLine: number;
}

/**
 * A conversation file: a journal that changes are appended to, and that is replaced once much of it
 * is obsolete. Conversations and items can be deleted even on a full disk. Only one process at a
 * time uses the file. Writes must not overlap.
 */
export class ConversationFile<Item extends StoredItem> implements ConversationStorage<Item> {
  readonly #file: ExclusiveFile;
  readonly #files: FileSystem;
  readonly #slackBytes: number;
  #state: FileState = { kind: "absent" };
  #writtenRecords = new WrittenRecords<Item>();
  #nextNumber = 0;
  #nextLine = FIRST_LINE;
  /**
   * Whether changed conversations are appended as differences or in full. In full if lines are
   * missing from the file, because a difference could refer to items in a missing line.
   */
  #appendMode: "difference" | "all" = "difference";
  /** Minimum file size for another attempt at a replacement that did not fit on the disk. */
  #minReplacementBytes = 0;

  constructor(path: string, { slackBytes = SLACK_BYTES, ...ports }: ConversationFilePorts = {}) {
    this.#file = new ExclusiveFile(path, ports);
    this.#files = this.#file.files;
    this.#slackBytes = slackBytes;
  }

  /**
   * Locks the file and reads it. If the file is missing, only the lock is created, provided that
   * its folder exists.
   * @returns the conversations, least recently used first as far as the file records it
   * @throws {LockHeldError} when another process, or this one, is already using the file
   * @throws {Error} when the file cannot be read or is invalid
   */
  async read(parseItem: (value: unknown) => Item): Promise<ReadConversations<Item>> {
    const found = await this.#file.read();
    if (found === undefined) return { conversations: [], missing: undefined };
    const replayed = replay(found.bytes, parseItem);
    this.#state = { kind: "found", stats: found.stats, bytes: replayed.bytes };
    this.#nextNumber = replayed.nextNumber;
    this.#nextLine = replayed.nextLine;
    if (replayed.missing !== undefined) this.#appendMode = "all";
    await this.#file.fillReserve(found.bytes.length);
    return replayed;
  }

  /** See {@link ConversationStorage}. The file is created by the first write, with its folders. */
  async write(changes: Changes<Item>, table: ConversationTable<Item>): Promise<void> {
    try {
      await this.#file.prepareWrite();
      await this.#expectUnchanged();
      try {
        await this.#replaceOrAppend(changes, table);
      } catch (error) {
        // Additions never use the reserve, which is kept for deletions.
        if (!isDiskFull(error) || !isRemovalOnly(changes, table)) throw error;
        await this.#replaceBy(await print(listConversationsAfter(changes, table)));
      }
    } catch (cause) {
      throw cause instanceof GgufdError ? cause : createStorageError(writeFailureOf(cause), cause);
    }
    await this.#fillReserve();
  }

  forget(items: readonly Item[]): void {
    this.#writtenRecords.forget(items);
  }

  async compact(table: ConversationTable<Item>): Promise<void> {
    const { bytes = 0 } = this.#state.kind === "sound" ? this.#state : {};
    if (bytes < this.#minReplacementBytes) return;
    if (bytes <= 2 * this.#writtenRecords.bytes + this.#slackBytes) return;
    try {
      await this.#replaceBy(await print(table.all()));
    } catch (error) {
      this.#minReplacementBytes = 1.5 * bytes + this.#slackBytes;
      throw error;
    }
  }

  /** Releases the lock. Never rejects. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  /**
   * Verifies that no other process has replaced or modified the file. A file that was removed is
   * written again.
   * @throws {GgufdError} `storage_unavailable`
   */
  async #expectUnchanged(): Promise<void> {
    const state = this.#state;
    if (state.kind === "doubtful") return;
    const found = await unlessMissing(this.#files.stat(await this.#file.resolvePath()));
    if (found === undefined) this.#state = { kind: "absent" };
    else if (state.kind === "absent" || found.ino !== state.stats.ino)
      throw createChangedFileError();
    else if (found.size < state.bytes) throw createChangedFileError();
  }

  async #replaceOrAppend(changes: Changes<Item>, table: ConversationTable<Item>): Promise<void> {
    const state = this.#state;
    const isReplacementDue =
      state.kind === "found" ? state.bytes >= this.#minReplacementBytes : state.kind !== "sound";
    if (!isReplacementDue) return this.#append(changes, table);
    try {
      await this.#tryToReplaceBy(await print(listConversationsAfter(changes, table)));
    } catch (error) {
      if (state.kind !== "found" || this.#state !== state || !isDiskFull(error)) throw error;
      this.#minReplacementBytes = 1.5 * state.bytes + this.#slackBytes;
      await this.#append(changes, table);
    }
  }

  /**
   * Replaces the file, using the reserve on a full disk; the space of the old version then refills
   * the reserve.
   */
  async #replaceBy(printed: PrintedFile<Item>): Promise<void> {
    try {
      await this.#tryToReplaceBy(printed);
    } catch (error) {
      if (!isDiskFull(error) || !(await this.#file.releaseReserve())) throw error;
      await this.#tryToReplaceBy(printed);
    }
    await this.#fillReserve();
  }

  async #fillReserve(): Promise<void> {
    if (this.#state.kind === "sound") await this.#file.fillReserve(this.#state.bytes);
  }

  async #tryToReplaceBy({
    chunks,
    written,
    nextNumber,
    nextLine,
  }: PrintedFile<Item>): Promise<void> {
    const before = this.#state;
    const path = await this.#file.resolvePath();
    this.#state = { kind: "doubtful" };
    try {
      await replaceDurably(this.#files, { path, chunks, mode: MODE });
    } catch (error) {
      if (before.kind === "sound" || before.kind === "found") {
        const found = await unlessMissing(this.#files.stat(path)).catch(() => undefined);
        if (found?.ino === before.stats.ino) this.#state = before;
      }
      throw error;
    }
    const stats = await this.#files.stat(path);
    this.#state = { kind: "sound", stats, bytes: stats.size };
    this.#writtenRecords = written;
    this.#nextNumber = nextNumber;
    this.#nextLine = nextLine;
    this.#appendMode = "difference";
    this.#minReplacementBytes = 0;
  }

  async #append(changes: Changes<Item>, table: ConversationTable<Item>): Promise<void> {
    const state = this.#state;
    assert(
      state.kind === "sound" || state.kind === "found",
      "expected a file to append to, got none",
    );
    const group = toGroup(changes, {
      lineNumber: this.#nextLine,
      numberOf: (item) => this.#writtenRecords.numberOf(item),
      find: (id) => (this.#appendMode === "all" ? undefined : table.find(id)),
      nextNumber: () => this.#nextNumber++,
    });
    const path = await this.#file.resolvePath();
    const file = await this.#files.open(path, "a");
    try {
      const { size } = await this.#files.stat(path);
      if (size > state.bytes) await file.truncate(state.bytes);
      await writeAll(file, group.line);
      this.#state = { kind: "doubtful" };
      await file.sync();
    } finally {
      await file.close();
    }
    this.#state = { ...state, bytes: state.bytes + group.lineBytes };
    this.#nextLine++;
    this.#writtenRecords.add(group, changes);
  }
}

/** Whether each changed conversation is deleted or becomes smaller. */
function isRemovalOnly<Item extends StoredItem>(
  changes: Changes<Item>,
  table: ConversationTable<Item>,
): boolean {
  return [...changes].every(([id, after]) => {
    const before = table.find(id);
    if (after === undefined || before === undefined) return after === undefined;
    return table.bytesOf(after) < table.bytesOf(before);
  });
}

/** Serialises conversations, one line each, without blocking the event loop for long. */
async function print<Item extends StoredItem>(
  conversations: readonly Conversation<Item>[],
): Promise<PrintedFile<Item>> {
  const written = new WrittenRecords<Item>();
  const chunks: Buffer[] = [Buffer.from(HEAD_LINE)];
  let nextNumber = 0;
  let nextLine = FIRST_LINE;
  for (const conversation of conversations) {
    const changes = new Map([[conversation.id, conversation]]);
    const group = toGroup(changes, {
      lineNumber: nextLine++,
      numberOf: (item) => written.numberOf(item),
      find: () => undefined,
      nextNumber: () => nextNumber++,
    });
    written.add(group, changes);
    chunks.push(...group.line);
    await nextTurn();
  }
  return { chunks, bytes: sumBy(chunks, ({ length }) => length), written, nextNumber, nextLine };
}

/** All conversations, changed ones last. */
function listConversationsAfter<Item extends StoredItem>(
  changes: Changes<Item>,
  table: ConversationTable<Item>,
): readonly Conversation<Item>[] {
  const unchanged = table.all().filter(({ id }) => !changes.has(id));
  return [...unchanged, ...[...changes.values()].flatMap((changed) => changed ?? [])];
}
