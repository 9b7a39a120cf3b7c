import assert from "node:assert/strict";
import { dirname, resolve } from "node:path";
import type { Adapter } from "lowdb";
import { excessNesting } from "../../core/json-size.js";
import { storageUnavailable } from "../../core/storage-error.js";
import { sumOf } from "../../core/sum-of.js";
import {
  createFolder,
  type Replacement,
  replaceDurably,
  syncFolderChain,
} from "../../files/durable-file.js";
import { FileLock, type Lock, LockHeldError } from "../../files/file-lock.js";
import {
  type FileStats,
  type FileSystem,
  isSameFile,
  nodeFileSystem,
  realPathOf,
} from "../../files/file-system.js";
import { isDiskFull, unlessMissing } from "../../files/system-errors.js";
import { TodoCollection } from "../collection/todo-collection.js";
import { SpaceReserve } from "./space-reserve.js";
import { migrate, parseTodoFile, serialise } from "./todo-file.js";

export interface TodoFilePorts {
  /** @default node:fs/promises */
  readonly files?: FileSystem;
  /** Acquires the lock at a path. @default FileLock.acquire */
  readonly acquireLock?: (path: string) => Promise<Lock>;
  /** By how much the reserve for a full disk exceeds the file. @default 64 KiB */
  readonly reserveSlackBytes?: number;
}

const RESERVE_SLACK_BYTES = 65_536;

/**
 * lowdb adapter that stores the collection in one JSON file.
 *
 * One process at a time: `<file>.lock` is acquired before the file is read. If that fails (the
 * folder is read-only or missing), it is acquired before the first write, which then verifies that
 * the file has not changed since it was read.
 *
 * `<file>.reserve` holds disk space, so that what does not make the file longer can be written even
 * when the disk is full: deleting items makes room.
 *
 * A file of an earlier version is migrated in memory and left untouched until the first write,
 * which saves the old bytes as `<file>.bak`.
 *
 * Writes must not overlap.
 */
export class TodoFileAdapter implements Adapter<TodoCollection> {
  readonly #givenPath: string;
  readonly #files: FileSystem;
  readonly #acquireLock: (path: string) => Promise<Lock>;
  readonly #reserveSlackBytes: number;
  #realPath: string | undefined;
  #reserve: SpaceReserve | undefined;
  #lock: Lock | undefined;
  /** The file's stats when it was read; undefined if it did not exist. */
  #statsAtRead: FileStats | undefined;
  /** The bytes of a file of an earlier version, until they are backed up. */
  #pendingBackup: Buffer | undefined;
  /** Whether the folder and its ancestors are synced, including changes by other processes. */
  #isFolderSynced = false;
  #isWriting = false;

  constructor(
    path: string,
    {
      files = nodeFileSystem,
      acquireLock = FileLock.acquire,
      reserveSlackBytes = RESERVE_SLACK_BYTES,
    }: TodoFilePorts = {},
  ) {
    this.#givenPath = resolve(path);
    this.#files = files;
    this.#acquireLock = acquireLock;
    this.#reserveSlackBytes = reserveSlackBytes;
  }

  /**
   * Resolves with null when there is no file.
   * @throws {LockHeldError} when another process, or this one, is already using the file
   * @throws {Error} when the file cannot be read, or is not UTF-8, JSON or a todo file,
   *   or is nested too deeply
   */
  async read(): Promise<TodoCollection | null> {
    const path = await this.#resolvePath();
    try {
      this.#lock ??= await this.#lockOnFullDisk(path);
    } catch (error) {
      if (error instanceof LockHeldError) throw error;
    }
    this.#statsAtRead = await unlessMissing(this.#files.stat(path));
    if (this.#statsAtRead === undefined) return null;
    if (this.#lock !== undefined) await this.#syncFolder(path);
    const bytes = await this.#files.readFile(path);
    // A lenient decoder would replace invalid bytes by U+FFFD, and the next write persist that.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const nesting = excessNesting(bytes);
    if (nesting !== undefined) throw new Error(nesting);
    const modifiedAt = new Date(this.#statsAtRead.mtimeMs).toISOString();
    const { file, migrated } = migrate(JSON.parse(text), { modifiedAt });
    const todos = TodoCollection.of(parseTodoFile(file));
    this.#pendingBackup = migrated ? bytes : undefined;
    // Fills the serialisation cache now, so that the first change does not pay for it.
    serialise(todos);
    if (this.#lock !== undefined) await this.#reserveOf(path).fill(bytes.length);
    return todos;
  }

  /**
   * Creates the file and its folders if they are missing. A symbolic link to the file is preserved,
   * even if the file does not exist yet, and so are the file's permissions.
   *
   * If this rejects, the file holds the old version, or the new one if only the last step (syncing
   * the folder) failed.
   */
  async write(todos: TodoCollection): Promise<void> {
    assert(!this.#isWriting, "expected no write in flight, got a second one");
    this.#isWriting = true;
    try {
      await this.#replaceFile(todos);
    } finally {
      this.#isWriting = false;
    }
  }

  /** Releases the lock. Never rejects. */
  async close(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }

  async #replaceFile(todos: TodoCollection): Promise<void> {
    const path = await this.#resolvePath();
    await this.#ensureLocked(path);
    if (!this.#isFolderSynced) await this.#prepareFolder(path);
    const stats = await unlessMissing(this.#files.stat(path));
    const mode = stats && stats.mode & 0o777;
    if (this.#pendingBackup !== undefined) {
      const chunks = [this.#pendingBackup];
      await replaceDurably(this.#files, { path: `${path}.bak`, chunks, mode });
      this.#pendingBackup = undefined;
    }
    await this.#replaceOnFullDisk({ path, chunks: serialise(todos), mode }, stats?.size ?? 0);
  }

  /**
   * Uses the reserve for what does not make the file longer. That leaves at least as much room as
   * was there before, so that the reserve can be filled again.
   */
  async #replaceOnFullDisk(replacement: Replacement, bytesBefore: number): Promise<void> {
    const bytes = sumOf(replacement.chunks, ({ length }) => length);
    const reserve = this.#reserveOf(replacement.path);
    try {
      await replaceDurably(this.#files, replacement);
    } catch (error) {
      if (!isDiskFull(error) || bytes > bytesBefore || !(await reserve.release())) throw error;
      await replaceDurably(this.#files, replacement);
    }
    await reserve.fill(bytes);
  }

  /** A lock takes a file, too: without room for it, nothing could be deleted after a restart. */
  async #lockOnFullDisk(path: string): Promise<Lock> {
    try {
      return await this.#acquireLock(`${path}.lock`);
    } catch (error) {
      if (!isDiskFull(error) || !(await this.#reserveOf(path).release())) throw error;
      return this.#acquireLock(`${path}.lock`);
    }
  }

  #reserveOf(path: string): SpaceReserve {
    this.#reserve ??= new SpaceReserve({
      files: this.#files,
      path: `${path}.reserve`,
      slackBytes: this.#reserveSlackBytes,
    });
    return this.#reserve;
  }

  async #prepareFolder(path: string): Promise<void> {
    await createFolder(this.#files, dirname(path));
    await this.#syncFolder(path);
  }

  async #syncFolder(path: string): Promise<void> {
    await syncFolderChain(this.#files, dirname(path));
    this.#isFolderSynced = true;
  }

  /**
   * The real path, also of a file that does not exist yet: the lock is beside the file itself,
   * whichever link was used to open it.
   */
  async #resolvePath(): Promise<string> {
    this.#realPath ??= await realPathOf(this.#files, this.#givenPath);
    return this.#realPath;
  }

  /** @throws {GgufdError} `storage_unavailable` when another process has the file */
  async #ensureLocked(path: string): Promise<void> {
    try {
      if (this.#lock !== undefined) await this.#lock.confirm();
      else await this.#lockBeforeFirstWrite(path);
    } catch (cause) {
      if (cause instanceof LockHeldError)
        throw storageUnavailable("another process uses the file", cause);
      throw cause;
    }
  }

  async #lockBeforeFirstWrite(path: string): Promise<void> {
    await createFolder(this.#files, dirname(path));
    const lock = await this.#lockOnFullDisk(path);
    const found = await unlessMissing(this.#files.stat(path));
    if (!isSameFile(found, this.#statsAtRead)) {
      await lock.release();
      throw storageUnavailable("another process has changed the file", undefined);
    }
    this.#lock = lock;
  }
}
