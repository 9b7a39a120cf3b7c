import assert from "node:assert/strict";
import { dirname, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { GgufdError } from "../../core/errors.js";
import { storageError, storageUnavailable } from "../../core/storage-error.js";
import {
  createFolder,
  replaceDurably,
  syncFolderChain,
  writeAll,
} from "../../files/durable-file.js";
import { FileLock, type Lock, LockHeldError } from "../../files/file-lock.js";
import {
  type FileStats,
  type FileSystem,
  isSameFile,
  nodeFileSystem,
  realPathOf,
} from "../../files/file-system.js";
import { isDiskFull, unlessMissing, writeFailureOf } from "../../files/system-errors.js";
import type { Conversation, KeptItem } from "../conversation.js";
import type { ConversationKeeper } from "../conversation-store.js";
import type { Changes, ConversationTable } from "../conversation-table.js";
import { HEAD_LINE, toGroup } from "./journal-lines.js";
import { type Replayed, replay } from "./replay.js";
import { WrittenRecords } from "./written-records.js";

export interface ConversationFilePorts {
  /** @default node:fs/promises */
  readonly files?: FileSystem;
  /** Acquires the lock at a path. @default FileLock.acquire */
  readonly acquireLock?: (path: string) => Promise<Lock>;
  /** What a file may have beyond twice of what is of use, in bytes. @default 64 KiB */
  readonly slackBytes?: number;
}

const SLACK_BYTES = 65_536;

/** Private: only the daemon reads it. */
const MODE = 0o600;

/** What is known of the file. */
type FileState =
  /** There is none. */
  | { readonly kind: "absent" }
  /**
   * It was written by another process, which may have ended before its last write was durable: it is replaced before
   * anything is appended, unless the disk is full.
   */
  | { readonly kind: "found"; readonly stats: FileStats; readonly bytes: number }
  /** So many bytes of it are durable. What is behind them is of a write that failed. */
  | { readonly kind: "sound"; readonly stats: FileStats; readonly bytes: number }
  /** Nothing of it can be relied on since a sync failed: it is replaced. */
  | { readonly kind: "doubtful" };

/**
 * A file of conversations: a journal that changes are appended to, and that is replaced when much of it is of no use
 * any more. One process at a time uses it. Writes must not overlap.
 */
export class ConversationFile<Item extends KeptItem> implements ConversationKeeper<Item> {
  readonly #givenPath: string;
  readonly #files: FileSystem;
  readonly #acquireLock: (path: string) => Promise<Lock>;
  readonly #slackBytes: number;
  #path = "";
  #lock: Lock | undefined;
  #statsAtRead: FileStats | undefined;
  #state: FileState = { kind: "absent" };
  #written = new WrittenRecords<Item>();
  #nextNumber = 0;
  #folder: "unknown" | "synced" = "unknown";
  /** A replacement that did not fit is tried again when the file is that large. */
  #replacedFromBytes = 0;

  constructor(
    path: string,
    {
      files = nodeFileSystem,
      acquireLock = FileLock.acquire,
      slackBytes = SLACK_BYTES,
    }: ConversationFilePorts = {},
  ) {
    this.#givenPath = resolve(path);
    this.#files = files;
    this.#acquireLock = acquireLock;
    this.#slackBytes = slackBytes;
  }

  /**
   * Locks the file and reads it. Where there is none, nothing is created but the lock, if its folder exists.
   * @returns those that were not used for longest first, as far as the file knows
   * @throws {LockHeldError} when another process, or this one, is already using the file
   * @throws {Error} when the file cannot be read, or is wrong
   */
  async read(parseItem: (value: unknown) => Item): Promise<readonly Conversation<Item>[]> {
    this.#path = await realPathOf(this.#files, this.#givenPath);
    try {
      this.#lock = await this.#acquireLock(`${this.#path}.lock`);
    } catch (error) {
      if (error instanceof LockHeldError) throw error;
    }
    const stats = await unlessMissing(this.#files.stat(this.#path));
    this.#statsAtRead = stats;
    if (stats === undefined) return [];
    const read: Replayed<Item> = replay(await this.#files.readFile(this.#path), parseItem);
    this.#state = { kind: "found", stats, bytes: read.bytes };
    this.#nextNumber = read.nextNumber;
    return read.conversations;
  }

  /** See {@link ConversationKeeper}. The file is created by the first write, with its folders. */
  async write(changes: Changes<Item>, table: ConversationTable<Item>): Promise<void> {
    try {
      await this.#ensureLocked();
      await this.#expectUnchanged();
      if ((await this.#replaceIfDue(() => conversationsAfter(changes, table))) === "replaced")
        return;
      await this.#append(changes, table);
    } catch (cause) {
      throw cause instanceof GgufdError ? cause : storageError(writeFailureOf(cause), cause);
    }
  }

  forget(items: readonly Item[]): void {
    this.#written.forget(items);
  }

  async compact(table: ConversationTable<Item>): Promise<void> {
    const { bytes = 0 } = this.#state.kind === "sound" ? this.#state : {};
    if (bytes < this.#replacedFromBytes) return;
    if (bytes <= 2 * this.#written.bytes + this.#slackBytes) return;
    try {
      await this.#replace(table.all());
    } catch (error) {
      this.#replacedFromBytes = 1.5 * bytes + this.#slackBytes;
      throw error;
    }
  }

  /** Releases the lock. Never rejects. */
  async close(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }

  /** @throws {GgufdError} `storage_unavailable` when another process has the file */
  async #ensureLocked(): Promise<void> {
    try {
      if (this.#lock !== undefined) await this.#lock.confirm();
      else await this.#lockBeforeFirstWrite();
    } catch (cause) {
      if (cause instanceof LockHeldError) {
        throw storageUnavailable("another process uses the file", cause);
      }
      throw cause;
    }
  }

  async #lockBeforeFirstWrite(): Promise<void> {
    await createFolder(this.#files, dirname(this.#path));
    const lock = await this.#acquireLock(`${this.#path}.lock`);
    const found = await unlessMissing(this.#files.stat(this.#path));
    if (!isSameFile(found, this.#statsAtRead)) {
      await lock.release();
      throw changedByAnother();
    }
    this.#lock = lock;
  }

  /**
   * A file that was removed is written anew; one that was replaced, or written to, is another one's.
   * @throws {GgufdError} `storage_unavailable`
   */
  async #expectUnchanged(): Promise<void> {
    const state = this.#state;
    if (state.kind === "doubtful") return;
    const found = await unlessMissing(this.#files.stat(this.#path));
    if (found === undefined) this.#state = { kind: "absent" };
    else if (state.kind === "absent" || found.ino !== state.stats.ino) throw changedByAnother();
    else if (found.size < state.bytes) throw changedByAnother();
  }

  async #replaceIfDue(
    conversations: () => readonly Conversation<Item>[],
  ): Promise<"replaced" | "not-due"> {
    const state = this.#state;
    if (state.kind === "sound") return "not-due";
    if (state.kind === "found" && state.bytes < this.#replacedFromBytes) return "not-due";
    try {
      await this.#replace(conversations());
      return "replaced";
    } catch (error) {
      if (state.kind !== "found" || this.#state !== state || !isDiskFull(error)) throw error;
      this.#replacedFromBytes = 1.5 * state.bytes + this.#slackBytes;
      return "not-due";
    }
  }

  /** Writes all conversations anew, in lines of one each. */
  async #replace(conversations: readonly Conversation<Item>[]): Promise<void> {
    const before = this.#state;
    if (this.#folder === "unknown") {
      await createFolder(this.#files, dirname(this.#path));
      await syncFolderChain(this.#files, dirname(this.#path));
      this.#folder = "synced";
    }
    const written = new WrittenRecords<Item>();
    const chunks: Buffer[] = [Buffer.from(HEAD_LINE)];
    let number = 0;
    for (const conversation of conversations) {
      const changes = new Map([[conversation.id, conversation]]);
      const group = toGroup(changes, {
        numberOf: (item) => written.numberOf(item),
        find: () => undefined,
        nextNumber: () => number++,
      });
      written.add(group, changes);
      chunks.push(group.line);
      await nextTurn();
    }
    this.#state = { kind: "doubtful" };
    try {
      await replaceDurably(this.#files, { path: this.#path, chunks, mode: MODE });
    } catch (error) {
      if (before.kind === "sound" || before.kind === "found") {
        const found = await unlessMissing(this.#files.stat(this.#path)).catch(() => undefined);
        if (found?.ino === before.stats.ino) this.#state = before;
      }
      throw error;
    }
    const stats = await this.#files.stat(this.#path);
    this.#state = { kind: "sound", stats, bytes: stats.size };
    this.#written = written;
    this.#nextNumber = number;
    this.#replacedFromBytes = 0;
  }

  async #append(changes: Changes<Item>, table: ConversationTable<Item>): Promise<void> {
    const state = this.#state;
    assert(state.kind === "sound" || state.kind === "found", "there is a file to append to");
    const group = toGroup(changes, {
      numberOf: (item) => this.#written.numberOf(item),
      find: (id) => table.find(id),
      nextNumber: () => this.#nextNumber++,
    });
    const file = await this.#files.open(this.#path, "a");
    try {
      const { size } = await this.#files.stat(this.#path);
      if (size > state.bytes) await file.truncate(state.bytes);
      await writeAll(file, [group.line]);
      this.#state = { kind: "doubtful" };
      await file.sync();
    } finally {
      await file.close();
    }
    this.#state = { ...state, bytes: state.bytes + group.line.length };
    this.#written.add(group, changes);
  }
}

/** All conversations, those that are changed last. */
function conversationsAfter<Item extends KeptItem>(
  changes: Changes<Item>,
  table: ConversationTable<Item>,
): readonly Conversation<Item>[] {
  const unchanged = table.all().filter(({ id }) => !changes.has(id));
  return [...unchanged, ...[...changes.values()].flatMap((changed) => changed ?? [])];
}

function changedByAnother(): GgufdError {
  return storageUnavailable("another process has changed the file", undefined);
}
