import { randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { GgufdError } from "../core/errors.js";
import { type Page, type PageQuery, toPage } from "../core/pages.js";
import type { StoreOwners } from "../core/store-quota.js";
import { computeQuota } from "../core/store-quota.js";
import { syncFolder, writeAll } from "../files/durable-file.js";
import type { FileSystem } from "../files/file-system.js";
import { createStorageError } from "../files/storage-error.js";
import { unlessMissing, writeFailureOf } from "../files/system-errors.js";
import { RecordFolder } from "./record-folder.js";
import type { FilePurpose, StoredFile } from "./stored-file.js";

const CONTENT_SUFFIX = ".data";
const PART_SUFFIX = ".part";
const PRIVATE_MODE = 0o600;

export interface FileStoreOptions {
  readonly folder: string;
  readonly files: FileSystem;
  readonly owners: StoreOwners;
  /** Size of the files of all owners; each owner has a share. */
  readonly maxBytes: number;
  /** Longest lifetime of a file in milliseconds. */
  readonly maxAgeMs: number;
  readonly now: () => number;
  readonly onDamaged: (path: string) => void;
}

export interface NewFile {
  readonly owner: string;
  readonly filename: string;
  readonly purpose: FilePurpose;
  /** Lifetime in seconds; absent: the longest one. */
  readonly seconds?: number | undefined;
}

/** Files of all owners: a record and a content for each, in one folder. */
export class FileStore {
  readonly #options: FileStoreOptions;
  readonly #records: RecordFolder<StoredFile>;
  /** Bytes of stored files and unfinished uploads by owner. */
  readonly #usedBytes = new Map<string, number>();

  private constructor(options: FileStoreOptions, records: RecordFolder<StoredFile>) {
    this.#options = options;
    this.#records = records;
    for (const { owner, bytes } of records.all()) this.#addUsed(owner, bytes);
  }

  static async open(options: FileStoreOptions): Promise<FileStore> {
    const { folder, files, onDamaged } = options;
    return new FileStore(options, await RecordFolder.open(folder, files, onDamaged));
  }

  /**
   * Removes contents without a record: uploads that a crash has interrupted.
   * @param kept ids of the result files of unfinished batches
   */
  async removeOrphans(kept: ReadonlySet<string>): Promise<void> {
    const { folder, files } = this.#options;
    for (const name of await readdir(folder)) {
      const [id = ""] = name.split(".");
      const isKept = kept.has(id) || this.#records.find(id) !== undefined;
      const isContent = name.endsWith(CONTENT_SUFFIX) && isKept;
      if (isContent || name.endsWith(".json")) continue;
      await files.rm(join(folder, name), { force: true });
    }
  }

  /**
   * Finds a file of an owner.
   * @param param field of a request with the id, for the error
   * @throws {GgufdError} `not_found`
   */
  get(owner: string, id: string, param?: string): StoredFile {
    const file = this.find(id);
    if (file?.owner === owner) return file;
    throw new GgufdError(
      "not_found",
      `File with id '${id.slice(0, MAX_ID_CHARS)}' not found: it was never stored, has expired, or was deleted.`,
      param === undefined ? {} : { param },
    );
  }

  /** Finds a file of any owner that has not expired. */
  find(id: string): StoredFile | undefined {
    const file = this.#records.find(id);
    return file !== undefined && this.expiryOf(file) > this.#options.now() ? file : undefined;
  }

  /** Time at which a file expires. */
  expiryOf({ createdAt, expiresAt }: StoredFile): number {
    return Math.min(expiresAt ?? Number.POSITIVE_INFINITY, createdAt + this.#options.maxAgeMs);
  }

  /** @returns `undefined` if `after` is no file of the list */
  page(owner: string, purpose: string | undefined, query: PageQuery): Page<StoredFile> | undefined {
    const now = this.#options.now();
    const files = this.#records
      .all()
      .filter(
        (file) =>
          file.owner === owner &&
          file.purpose !== "message_batch" &&
          (purpose === undefined || file.purpose === purpose) &&
          this.expiryOf(file) > now,
      );
    return toPage(files, query);
  }

  /** Path of a file's content. */
  contentPath(id: string): string {
    return join(this.#options.folder, `${id}${CONTENT_SUFFIX}`);
  }

  /** Opens a file's content for reading. */
  openContent(id: string): Promise<FileHandle> {
    return open(this.contentPath(id), "r");
  }

  /**
   * Writes a content to disk as it arrives. Nothing is kept until {@link ReceivedContent.keep}.
   * @throws {GgufdError} `storage_full`, `storage_unavailable`, `storage_quota_exceeded`; errors of
   *   the source
   */
  async receive(owner: string, source: AsyncIterable<Uint8Array>): Promise<ReceivedContent> {
    const { folder, files } = this.#options;
    const id = createFileId();
    let partPath = join(folder, `${id}${PART_SUFFIX}`);
    let bytes = 0;
    const discard = async () => {
      this.#addUsed(owner, -bytes);
      await files.rm(partPath, { force: true }).catch(() => undefined);
    };
    try {
      const file = await files.open(partPath, "w").catch(throwStorageError);
      try {
        await file.chmod(PRIVATE_MODE).catch(throwStorageError);
        for await (const chunk of source) {
          this.#expectRoom(owner, chunk.length);
          bytes += chunk.length;
          this.#addUsed(owner, chunk.length);
          await writeAll(file, [chunk]).catch(throwStorageError);
        }
        await file.sync().catch(throwStorageError);
      } finally {
        await file.close();
      }
    } catch (error) {
      await discard();
      throw error;
    }
    return {
      bytes,
      discard,
      keep: async (newFile) => {
        await files.rename(partPath, this.contentPath(id)).catch(throwStorageError);
        partPath = this.contentPath(id);
        return this.#record(id, newFile, bytes);
      },
    };
  }

  /**
   * Records the results of a batch, whose content is complete and synced.
   * @throws {GgufdError} `storage_full`, `storage_unavailable`, `internal_error`
   */
  async register(id: string, newFile: NewFile, bytes: number): Promise<void> {
    if (this.#records.find(id) !== undefined) return;
    await this.#record(id, newFile, bytes);
    this.#addUsed(newFile.owner, bytes);
  }

  async #record(id: string, newFile: NewFile, bytes: number): Promise<StoredFile> {
    const { folder, files, now } = this.#options;
    await syncFolder(files, folder).catch(throwStorageError);
    const { owner, filename, purpose, seconds } = newFile;
    const createdAt = now();
    const file: StoredFile = {
      id,
      owner,
      filename,
      purpose,
      bytes,
      createdAt,
      ...(seconds !== undefined && { expiresAt: createdAt + seconds * 1000 }),
    };
    await this.#records.put(file);
    return file;
  }

  /** Size of a content, recorded or not; 0 if there is none. */
  async measure(id: string): Promise<number> {
    return (await unlessMissing(stat(this.contentPath(id))))?.size ?? 0;
  }

  /** Removes a file: its record first, so that no record lacks its content. */
  async remove(id: string): Promise<void> {
    const file = this.#records.find(id);
    await this.#records.remove(id);
    if (file !== undefined) this.#addUsed(file.owner, -file.bytes);
    await this.#options.files.rm(this.contentPath(id), { force: true }).catch(throwStorageError);
  }

  /** Ids of expired files. */
  listExpired(): readonly string[] {
    const now = this.#options.now();
    return this.#records.all().flatMap((file) => (this.expiryOf(file) <= now ? [file.id] : []));
  }

  whenSettled(): Promise<void> {
    return this.#records.whenSettled();
  }

  #addUsed(owner: string, bytes: number): void {
    this.#usedBytes.set(owner, (this.#usedBytes.get(owner) ?? 0) + bytes);
  }

  /** @throws {GgufdError} `storage_quota_exceeded` */
  #expectRoom(owner: string, bytes: number): void {
    const { maxBytes, owners } = this.#options;
    const limits = { entries: 0, items: 0, bytes: maxBytes, idleMs: 0 };
    const quota = computeQuota(limits, owners.count()).bytes;
    const used = this.#usedBytes.get(owner) ?? 0;
    if (used + bytes <= quota) return;
    const name = owner === "" ? "this server" : `the key '${owner}'`;
    throw new GgufdError(
      "storage_quota_exceeded",
      `The file cannot be stored: expected at most ${quota} bytes, the quota of ${name} for all its files (--batches-max-size), got more. Delete files that are no longer needed.`,
    );
  }
}

/** Characters of an unknown id that a message repeats. */
export const MAX_ID_CHARS = 64;

/** A content on disk that has no record yet. */
export interface ReceivedContent {
  readonly bytes: number;
  keep(file: NewFile): Promise<StoredFile>;
  discard(): Promise<void>;
}

export function createFileId(): string {
  return `file-${randomUUID().replaceAll("-", "")}`;
}

function throwStorageError(error: unknown): never {
  throw createStorageError(writeFailureOf(error), error);
}
