import assert from "node:assert/strict";
import { GgufdError } from "../core/errors.js";
import { replaceDurably, writeAll } from "../files/durable-file.js";
import {
  createChangedFileError,
  ExclusiveFile,
  type ExclusiveFilePorts,
} from "../files/exclusive-file.js";
import { type FileStats, isSameFile } from "../files/file-system.js";
import { createStorageError } from "../files/storage-error.js";
import { isDiskFull, unlessMissing, writeFailureOf } from "../files/system-errors.js";
import { HEAD_LINE, printEntry, replayKeys } from "./key-journal.js";
import type { KeyTable } from "./key-table.js";

/** Private: only the daemon reads the file. */
const MODE = 0o600;

/** Known state of the file. */
type FileState =
  /** The file holds the given number of entries, durably. */
  | { readonly kind: "sound"; readonly stats: FileStats; readonly entries: number }
  /**
   * The file was written by another process, which may have ended before its last entry was
   * durable, or is missing: it is replaced before anything is appended.
   */
  | { readonly kind: "found"; readonly stats: FileStats | undefined }
  /** A write has failed, so that the content is unknown: the file is replaced. */
  | { readonly kind: "doubtful" };

/**
 * The file of the key store: a journal that changes are appended to. A change is possible even on a
 * full disk, since it may revoke a key. Only one process at a time uses the file. Writes must not
 * overlap.
 */
export class KeyFile {
  readonly #file: ExclusiveFile;
  #state: FileState = { kind: "found", stats: undefined };

  constructor(path: string, ports: ExclusiveFilePorts = {}) {
    this.#file = new ExclusiveFile(path, ports);
  }

  /**
   * Locks the file and reads it.
   * @returns undefined if there is no file
   * @throws {LockHeldError} when another process, or this one, is already using the file
   * @throws {Error} when the file cannot be read or is invalid
   */
  async read(): Promise<KeyTable | undefined> {
    const found = await this.#file.read();
    if (found === undefined) return undefined;
    const table = replayKeys(found.bytes);
    this.#state = { kind: "found", stats: found.stats };
    await this.#file.fillReserve(found.bytes.length);
    return table;
  }

  /**
   * Makes all entries of a table durable. Earlier ones must be those of the last written table.
   * @throws {GgufdError} `storage_full`, `storage_unavailable`, `internal_error`
   */
  async write(table: KeyTable): Promise<void> {
    try {
      await this.#file.prepareWrite();
      try {
        await this.#writeOnce(table);
      } catch (error) {
        if (!isDiskFull(error) || !(await this.#file.releaseReserve())) throw error;
        await this.#writeOnce(table);
      }
    } catch (cause) {
      throw cause instanceof GgufdError ? cause : createStorageError(writeFailureOf(cause), cause);
    }
    if (this.#state.kind === "sound") await this.#file.fillReserve(this.#state.stats.size);
  }

  /** Releases the lock. Never rejects. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  async #writeOnce(table: KeyTable): Promise<void> {
    const { files } = this.#file;
    const path = await this.#file.resolvePath();
    const state = this.#state;
    const found = await unlessMissing(files.stat(path));
    // A file that was removed is written again.
    if (state.kind !== "doubtful" && found !== undefined && !isSameFile(found, state.stats)) {
      throw createChangedFileError();
    }
    this.#state = { kind: "doubtful" };
    if (state.kind === "sound" && found !== undefined) {
      assert(state.entries <= table.entries.length, "expected a table with all written entries");
      await this.#append(path, table.entries.slice(state.entries).map(printEntry).join(""));
    } else {
      const text = HEAD_LINE + table.entries.map(printEntry).join("");
      const mode = found === undefined ? MODE : found.mode & 0o777;
      await replaceDurably(files, { path, chunks: [Buffer.from(text)], mode });
    }
    const stats = await files.stat(path);
    this.#state = { kind: "sound", stats, entries: table.entries.length };
  }

  async #append(path: string, lines: string): Promise<void> {
    const file = await this.#file.files.open(path, "a");
    try {
      await writeAll(file, [Buffer.from(lines)]);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
