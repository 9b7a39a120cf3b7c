import { dirname, resolve } from "node:path";
import type { Adapter } from "lowdb";
import { GgufdError } from "../../core/errors.js";
import { TodoCollection } from "../collection/todo-collection.js";
import { makeFolder, replaceDurably, syncPlace } from "./durable-file.js";
import { unlessMissing } from "./error-code.js";
import { layOut } from "./file-layout.js";
import { FileLock, type Lock, LockHeldError } from "./file-lock.js";
import { type FileStats, type FileSystem, nodeFileSystem } from "./file-system.js";
import { migrate } from "./migrations.js";
import { STORAGE_RETRY_AFTER_SECONDS } from "./storage-error.js";
import { parseTodoFile } from "./todo-file.js";

export interface TodoFilePorts {
  /** @default node:fs/promises */
  readonly files?: FileSystem;
  /** Takes the lock at a path. @default FileLock.acquire */
  readonly acquireLock?: (path: string) => Promise<Lock>;
}

/**
 * Keeps the collection in one JSON file, for lowdb.
 *
 * One process at a time: `<file>.lock` is taken before the file is read. Where that cannot be (the
 * place is read-only, or not there), it is taken before the first write, which then makes sure that
 * the file is what was read.
 *
 * A file of an earlier version is migrated in memory. The first write after that keeps the old bytes
 * as `<file>.bak`; until then the file is as it was.
 *
 * A write must not start before the one before has settled.
 */
export class TodoFileAdapter implements Adapter<TodoCollection> {
  readonly #name: string;
  readonly #files: FileSystem;
  readonly #acquireLock: (path: string) => Promise<Lock>;
  #path: string | undefined;
  #lock: Lock | undefined;
  /** What the file looked like when it was read; undefined when there was none. */
  #read: FileStats | undefined;
  /** The bytes of a file of an earlier version, until they have been kept. */
  #toBackUp: Buffer | undefined;
  /** Whether the folders that lead to the file have been synced, with what others did in them. */
  #isPlaceSynced = false;

  constructor(
    path: string,
    { files = nodeFileSystem, acquireLock = FileLock.acquire }: TodoFilePorts = {},
  ) {
    this.#name = resolve(path);
    this.#files = files;
    this.#acquireLock = acquireLock;
  }

  /**
   * Null when there is no file.
   * @throws {LockHeldError} when another process, or this one, uses the file already
   * @throws {Error} when the file cannot be read, is no UTF-8, no JSON, or no todo file
   */
  async read(): Promise<TodoCollection | null> {
    const path = await this.#target();
    try {
      this.#lock ??= await this.#acquireLock(`${path}.lock`);
    } catch (error) {
      if (error instanceof LockHeldError) throw error;
    }
    this.#read = await unlessMissing(this.#files.stat(path));
    if (this.#read === undefined) return null;
    if (this.#lock !== undefined) await this.#syncPlace(path);
    const bytes = await this.#files.readFile(path);
    // A lenient decoder would put U+FFFD in the place of broken bytes, and the next write keep that.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const modifiedAt = new Date(this.#read.mtimeMs).toISOString();
    const { file, migrated } = migrate(JSON.parse(text), { modifiedAt });
    const todos = TodoCollection.of(parseTodoFile(file));
    this.#toBackUp = migrated ? bytes : undefined;
    // The text of all items is made now, when nobody waits for the first change.
    layOut(todos);
    return todos;
  }

  /**
   * Creates the file and its folders where they are missing. A symbolic link to the file stays a
   * link, and the file keeps its permissions.
   *
   * When this rejects, the file holds the old version, or the new one if only the last step (syncing
   * the folder) failed.
   */
  async write(todos: TodoCollection): Promise<void> {
    const path = await this.#target();
    await this.#makeSureOfLock(path);
    if (!this.#isPlaceSynced) await this.#makePlace(path);
    const stats = await unlessMissing(this.#files.stat(path));
    const mode = stats && stats.mode & 0o777;
    if (this.#toBackUp !== undefined) {
      await replaceDurably(this.#files, { path: `${path}.bak`, pieces: [this.#toBackUp], mode });
      this.#toBackUp = undefined;
    }
    await replaceDurably(this.#files, { path, pieces: layOut(todos), mode });
  }

  /** Gives the lock back. Never rejects. */
  async close(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }

  async #makePlace(path: string): Promise<void> {
    await makeFolder(this.#files, dirname(path));
    await this.#syncPlace(path);
  }

  async #syncPlace(path: string): Promise<void> {
    await syncPlace(this.#files, dirname(path));
    this.#isPlaceSynced = true;
  }

  /** The file that the name leads to: the lock stands beside that one, whatever its names. */
  async #target(): Promise<string> {
    this.#path ??= (await unlessMissing(this.#files.realpath(this.#name))) ?? this.#name;
    return this.#path;
  }

  /** @throws {GgufdError} `storage_unavailable` when the file is another process's */
  async #makeSureOfLock(path: string): Promise<void> {
    try {
      if (this.#lock !== undefined) await this.#lock.confirm();
      else await this.#lockLate(path);
    } catch (cause) {
      if (cause instanceof LockHeldError) throw unavailable("another process uses the file", cause);
      throw cause;
    }
  }

  async #lockLate(path: string): Promise<void> {
    await makeFolder(this.#files, dirname(path));
    const lock = await this.#acquireLock(`${path}.lock`);
    const found = await unlessMissing(this.#files.stat(path));
    if (!isSameContent(found, this.#read)) {
      await lock.release();
      throw unavailable("another process has changed the file", undefined);
    }
    this.#lock = lock;
  }
}

/** A file is replaced under another number, and written to at another time. */
function isSameContent(a: FileStats | undefined, b: FileStats | undefined): boolean {
  return a?.dev === b?.dev && a?.ino === b?.ino && a?.size === b?.size && a?.mtimeMs === b?.mtimeMs;
}

function unavailable(reason: string, cause: unknown): GgufdError {
  return new GgufdError("storage_unavailable", `The change could not be stored: ${reason}.`, {
    cause,
    retryAfterSeconds: STORAGE_RETRY_AFTER_SECONDS,
  });
}
