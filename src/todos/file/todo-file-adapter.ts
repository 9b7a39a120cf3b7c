import assert from "node:assert/strict";
import type { Adapter } from "lowdb";
import { describeExcessNesting } from "../../core/json-size.js";
import { sumBy } from "../../core/sum-by.js";
import { type Replacement, replaceDurably } from "../../files/durable-file.js";
import { ExclusiveFile, type ExclusiveFilePorts } from "../../files/exclusive-file.js";
import { isDiskFull, unlessMissing } from "../../files/system-errors.js";
import { TodoCollection } from "../collection/todo-collection.js";
import { migrate, parseTodoFile, serialise } from "./todo-file.js";

/**
 * lowdb adapter that stores the collection in one JSON file. Deleting items works even on a full
 * disk.
 *
 * A file of an earlier version is migrated in memory and left untouched until the first write,
 * which saves the old bytes as `<file>.bak`.
 *
 * Writes must not overlap.
 */
export class TodoFileAdapter implements Adapter<TodoCollection> {
  readonly #file: ExclusiveFile;
  /** The bytes of a file of an earlier version, until they are backed up. */
  #pendingBackup: Buffer | undefined;
  #isWriting = false;

  constructor(path: string, ports: ExclusiveFilePorts = {}) {
    this.#file = new ExclusiveFile(path, ports);
  }

  /**
   * Resolves with null when there is no file.
   * @throws {LockHeldError} when another process, or this one, is already using the file
   * @throws {Error} when the file cannot be read, or is not UTF-8, JSON or a todo file,
   *   or is nested too deeply
   */
  async read(): Promise<TodoCollection | null> {
    const found = await this.#file.read();
    if (found === undefined) return null;
    const { bytes, stats } = found;
    // A lenient decoder would replace invalid bytes by U+FFFD, which the next write would persist.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const nesting = describeExcessNesting(bytes);
    if (nesting !== undefined) throw new Error(nesting);
    const modifiedAt = new Date(stats.mtimeMs).toISOString();
    const { file, migrated } = migrate(JSON.parse(text), { modifiedAt });
    const todos = TodoCollection.of(parseTodoFile(file));
    this.#pendingBackup = migrated ? bytes : undefined;
    // Fills the serialisation cache now, so that the first change does not pay for it.
    serialise(todos);
    await this.#file.fillReserve(bytes.length);
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
    await this.#file.close();
  }

  async #replaceFile(todos: TodoCollection): Promise<void> {
    await this.#file.prepareWrite();
    const path = await this.#file.resolvePath();
    const { files } = this.#file;
    const stats = await unlessMissing(files.stat(path));
    const mode = stats && stats.mode & 0o777;
    if (this.#pendingBackup !== undefined) {
      const chunks = [this.#pendingBackup];
      await replaceDurably(files, { path: `${path}.bak`, chunks, mode });
      this.#pendingBackup = undefined;
    }
    await this.#replaceOnFullDisk({ path, chunks: serialise(todos), mode }, stats?.size ?? 0);
  }

  /**
   * Uses the reserve for a replacement that does not lengthen the file. At least as much space is
   * free afterwards as before, so the reserve can be filled again.
   */
  async #replaceOnFullDisk(replacement: Replacement, bytesBefore: number): Promise<void> {
    const bytes = sumBy(replacement.chunks, ({ length }) => length);
    try {
      await replaceDurably(this.#file.files, replacement);
    } catch (error) {
      if (!isDiskFull(error) || bytes > bytesBefore) throw error;
      if (!(await this.#file.releaseReserve())) throw error;
      await replaceDurably(this.#file.files, replacement);
    }
    await this.#file.fillReserve(bytes);
  }
}
