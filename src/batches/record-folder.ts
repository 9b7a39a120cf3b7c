import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolder, replaceDurably } from "../files/durable-file.js";
import type { FileSystem } from "../files/file-system.js";
import { createStorageError } from "../files/storage-error.js";
import { writeFailureOf } from "../files/system-errors.js";

const RECORD_SUFFIX = ".json";
const PRIVATE_MODE = 0o600;

/** Records with an id, each in a JSON file of a folder, and all of them in memory. */
export class RecordFolder<Stored extends { readonly id: string; readonly createdAt: number }> {
  readonly #folder: string;
  readonly #files: FileSystem;
  readonly #records = new Map<string, Stored>();
  /** Writes of each record, one after another. */
  readonly #writes = new Map<string, Promise<void>>();

  private constructor(folder: string, files: FileSystem) {
    this.#folder = folder;
    this.#files = files;
  }

  /**
   * Reads the records of a folder, which is created if it is missing. Records are written durably,
   * so that a file that is not JSON was damaged later; it is left out.
   * @param onDamaged called with the path of a file that is not a record
   */
  static async open<Stored extends { readonly id: string; readonly createdAt: number }>(
    folder: string,
    files: FileSystem,
    onDamaged: (path: string) => void,
  ): Promise<RecordFolder<Stored>> {
    await createFolder(files, folder);
    const opened = new RecordFolder<Stored>(folder, files);
    const names = (await readdir(folder)).filter((name) => name.endsWith(RECORD_SUFFIX));
    const found: Stored[] = [];
    for (const name of names) {
      const path = join(folder, name);
      try {
        const record = JSON.parse(await readFile(path, "utf8")) as Stored;
        if (`${record.id}${RECORD_SUFFIX}` !== name) throw new Error("expected the id as the name");
        found.push(record);
      } catch {
        onDamaged(path);
      }
    }
    for (const record of found.toSorted((a, b) => a.createdAt - b.createdAt || compareIds(a, b))) {
      opened.#records.set(record.id, record);
    }
    return opened;
  }

  find(id: string): Stored | undefined {
    return this.#records.get(id);
  }

  /** All records, oldest first. */
  all(): readonly Stored[] {
    return [...this.#records.values()];
  }

  /**
   * Stores a record durably; it is visible once that is done.
   * @throws {GgufdError} `storage_full`, `storage_unavailable`, `internal_error`
   */
  async put(record: Stored): Promise<void> {
    await this.#inOrder(record.id, () => this.#write(record));
  }

  /**
   * Changes a record, after earlier changes of it.
   * @returns the changed record
   * @throws {GgufdError} as {@link put}
   */
  async update(id: string, change: (record: Stored) => Stored): Promise<Stored> {
    let changed: Stored | undefined;
    await this.#inOrder(id, async () => {
      const record = this.#records.get(id);
      if (record === undefined) throw new Error(`expected a record with the id ${id}`);
      changed = change(record);
      if (changed !== record) await this.#write(changed);
    });
    return changed as Stored;
  }

  /** Removes a record. */
  async remove(id: string): Promise<void> {
    await this.#inOrder(id, async () => {
      await this.#files.rm(this.#pathOf(id), { force: true });
      this.#records.delete(id);
    });
  }

  /** Resolves when all writes are settled. */
  async whenSettled(): Promise<void> {
    await Promise.allSettled(this.#writes.values());
  }

  async #write(record: Stored): Promise<void> {
    await replaceDurably(this.#files, {
      path: this.#pathOf(record.id),
      chunks: [Buffer.from(JSON.stringify(record))],
      mode: PRIVATE_MODE,
    });
    this.#records.set(record.id, record);
  }

  async #inOrder(id: string, write: () => Promise<void>): Promise<void> {
    const previous = this.#writes.get(id) ?? Promise.resolve();
    const current = previous.catch(() => undefined).then(write);
    this.#writes.set(id, current);
    try {
      await current;
    } catch (error) {
      throw createStorageError(writeFailureOf(error), error);
    } finally {
      if (this.#writes.get(id) === current) this.#writes.delete(id);
    }
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}${RECORD_SUFFIX}`);
  }
}

function compareIds(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
