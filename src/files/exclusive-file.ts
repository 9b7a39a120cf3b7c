import { dirname, resolve } from "node:path";
import { createFolder, syncFolderChain } from "./durable-file.js";
import { FileLock, type Lock, LockHeldError } from "./file-lock.js";
import {
  type FileStats,
  type FileSystem,
  isSameFile,
  nodeFileSystem,
  resolveRealPath,
} from "./file-system.js";
import { expectRegularFile } from "./regular-files.js";
import { SpaceReserve } from "./space-reserve.js";
import { createUnavailableError } from "./storage-error.js";
import { isDiskFull, unlessMissing } from "./system-errors.js";

export interface ExclusiveFilePorts {
  /** @default node:fs/promises */
  readonly files?: FileSystem;
  /** Acquires the lock at a path. @default FileLock.acquire */
  readonly acquireLock?: (path: string) => Promise<Lock>;
  /** By how much the reserve for a full disk exceeds the file. @default 64 KiB */
  readonly reserveSlackBytes?: number;
}

const RESERVE_SLACK_BYTES = 65_536;

/** Contents and properties of a file when it was read. */
export interface FoundFile {
  readonly bytes: Buffer;
  readonly stats: FileStats;
}

/**
 * A file that only one process uses at a time.
 *
 * `<file>.lock` is acquired before the file is read. If that fails (the folder is read-only or
 * missing), it is acquired before the first write, which then verifies that the file has not
 * changed since it was read.
 *
 * `<file>.reserve` holds disk space, so that writes that do not lengthen the file succeed even on a
 * full disk.
 */
export class ExclusiveFile {
  readonly files: FileSystem;
  readonly #requestedPath: string;
  readonly #acquireLock: (path: string) => Promise<Lock>;
  readonly #reserveSlackBytes: number;
  #realPath: string | undefined;
  #reserve: SpaceReserve | undefined;
  #lock: Lock | undefined;
  /** Undefined if there was no file. */
  #statsAtRead: FileStats | undefined;
  /** Whether the folder and its ancestors are synced, including changes by other processes. */
  #folderState: "unknown" | "synced" = "unknown";

  constructor(
    path: string,
    {
      files = nodeFileSystem,
      acquireLock = FileLock.acquire,
      reserveSlackBytes = RESERVE_SLACK_BYTES,
    }: ExclusiveFilePorts = {},
  ) {
    this.#requestedPath = resolve(path);
    this.files = files;
    this.#acquireLock = acquireLock;
    this.#reserveSlackBytes = reserveSlackBytes;
  }

  /**
   * Returns the real path, even of a file that does not exist yet: the lock is next to the file
   * itself, whichever link was used to open it.
   */
  async resolvePath(): Promise<string> {
    this.#realPath ??= await resolveRealPath(this.files, this.#requestedPath);
    return this.#realPath;
  }

  /**
   * Locks the file and reads it. If the file is missing, only the lock is created, provided that
   * its folder exists.
   * @returns undefined if there is no file
   * @throws {LockHeldError} when another process, or this one, is already using the file
   * @throws {Error} when the path names something other than a file, or the file cannot be read
   */
  async read(): Promise<FoundFile | undefined> {
    const path = await this.resolvePath();
    // Checked before the lock is created next to the file: for a device, that would be in /dev.
    const found = await unlessMissing(this.files.stat(path));
    if (found !== undefined) expectRegularFile(found);
    try {
      this.#lock ??= await this.#lockOnFullDisk(path);
    } catch (error) {
      if (error instanceof LockHeldError) throw error;
    }
    const stats = await unlessMissing(this.files.stat(path));
    this.#statsAtRead = stats;
    if (stats === undefined) return undefined;
    if (this.#lock !== undefined) await this.#syncFolder(path);
    return { bytes: await this.files.readFile(path), stats };
  }

  /**
   * Called before each write: creates the folder if it is missing, and makes sure that no other
   * process uses the file.
   * @throws {GgufdError} `storage_unavailable` when another process has the file, or has changed it
   */
  async prepareWrite(): Promise<void> {
    const path = await this.resolvePath();
    try {
      if (this.#lock !== undefined) await this.#lock.confirm();
      else await this.#lockBeforeFirstWrite(path);
    } catch (cause) {
      if (!(cause instanceof LockHeldError)) throw cause;
      throw createUnavailableError("another process is using the file", cause);
    }
    if (this.#folderState === "synced") return;
    await createFolder(this.files, dirname(path));
    await this.#syncFolder(path);
  }

  /**
   * Frees the reserve on a full disk. False: there was no reserve, or it cannot be removed. Never
   * rejects.
   */
  async releaseReserve(): Promise<boolean> {
    return this.#reserveOf(await this.resolvePath()).release();
  }

  /**
   * Reserves space for a second version of the file, unless another process may be using it. Never
   * rejects.
   */
  async fillReserve(fileBytes: number): Promise<void> {
    if (this.#lock !== undefined) await this.#reserveOf(await this.resolvePath()).fill(fileBytes);
  }

  /** Releases the lock. Never rejects. */
  async close(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }

  async #lockBeforeFirstWrite(path: string): Promise<void> {
    await createFolder(this.files, dirname(path));
    const lock = await this.#lockOnFullDisk(path);
    const found = await unlessMissing(this.files.stat(path));
    if (!isSameFile(found, this.#statsAtRead)) {
      await lock.release();
      throw createChangedFileError();
    }
    this.#lock = lock;
  }

  /**
   * Acquires the lock using the reserve: the lock is a file too, and without it nothing could be
   * deleted after a restart.
   */
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
      files: this.files,
      path: `${path}.reserve`,
      slackBytes: this.#reserveSlackBytes,
    });
    return this.#reserve;
  }

  async #syncFolder(path: string): Promise<void> {
    await syncFolderChain(this.files, dirname(path));
    this.#folderState = "synced";
  }
}

/** Creates the error of a write that is refused because another process has changed the file. */
export function createChangedFileError() {
  return createUnavailableError("another process has changed the file", undefined);
}
