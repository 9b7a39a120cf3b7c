import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { syncFolder } from "../../files/durable-file.js";
import { nodeFileSystem } from "../../files/file-system.js";
import { PARTIAL } from "../store/own-models.js";

/** Identity of the content that a partial file belongs to. */
export interface ContentIdentity {
  readonly sha256?: string | undefined;
  /** Strong entity tag, as written by the server. */
  readonly etag?: string | undefined;
}

const identity = z.object({ sha256: z.string().optional(), etag: z.string().optional() });

/** Chunk size for rereading a partial file; hashing a chunk takes a millisecond. */
const READ_BYTES = 1024 * 1024;

/**
 * Partially downloaded file: `NAME.part` next to its final place, and `NAME.part.json` with the
 * identity of its content. The digest is computed as the file grows.
 */
export class PartFile {
  readonly #finalPath: string;
  readonly #handle: FileHandle;
  #identity: ContentIdentity;
  #hash: Hash = createHash("sha256");
  #sizeBytes = 0;

  /**
   * Opens a partial file, with the data of an earlier transfer.
   * @param finalPath path of the finished file
   * @param onRead receives the number of existing bytes that have been reread
   */
  static async open(
    finalPath: string,
    signal: AbortSignal,
    onRead: (completedBytes: number) => void,
  ): Promise<PartFile> {
    const path = `${finalPath}${PARTIAL}`;
    const handle = await open(path, "a+");
    try {
      const part = new PartFile(finalPath, handle, await readIdentity(`${path}.json`));
      await part.#rereadData(signal, onRead);
      return part;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  private constructor(finalPath: string, handle: FileHandle, knownIdentity: ContentIdentity) {
    this.#finalPath = finalPath;
    this.#handle = handle;
    this.#identity = knownIdentity;
  }

  get path(): string {
    return `${this.#finalPath}${PARTIAL}`;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Identity of the content that this part belongs to. */
  get identity(): ContentIdentity {
    return this.#identity;
  }

  /** Records the identity of the content, before its first byte is written. */
  async identify(content: ContentIdentity): Promise<void> {
    this.#identity = content;
    await writeFile(`${this.path}.json`, JSON.stringify(content));
  }

  async append(chunk: Uint8Array): Promise<void> {
    const writing = writeAll(this.#handle, chunk);
    this.#hash.update(chunk);
    await writing;
    this.#sizeBytes += chunk.length;
  }

  /** Discards the data and starts from the beginning. */
  async clear(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = createHash("sha256");
    this.#sizeBytes = 0;
  }

  /** Returns the digest of the data so far, in hexadecimal digits. */
  computeSha256(): string {
    return this.#hash.copy().digest("hex");
  }

  /** Reads the first bytes. */
  async readBeginning(bytes: number): Promise<Buffer> {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await this.#handle.read(buffer, 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  }

  /** Renames the complete file to its final place, durably. Closes the part. */
  async finish(): Promise<void> {
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.path, this.#finalPath);
    await rm(`${this.path}.json`, { force: true });
    await syncFolder(nodeFileSystem, dirname(this.#finalPath));
  }

  /** Closes the part and deletes its files. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(this.path, { force: true });
    await rm(`${this.path}.json`, { force: true });
  }

  /** Closes the part and keeps it for the next transfer; an empty part is removed. */
  async close(): Promise<void> {
    if (this.#sizeBytes === 0) await this.discard();
    else await this.#handle.close();
  }

  async #rereadData(signal: AbortSignal, onRead: (completedBytes: number) => void): Promise<void> {
    const buffer = Buffer.alloc(READ_BYTES);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await this.#handle.read(buffer, 0, READ_BYTES, this.#sizeBytes);
      if (bytesRead === 0) return;
      this.#hash.update(buffer.subarray(0, bytesRead));
      this.#sizeBytes += bytesRead;
      onRead(this.#sizeBytes);
    }
  }
}

/** Writes a whole chunk, continuing after short writes, which occur on a nearly full disk. */
async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    written += (await handle.write(chunk, written)).bytesWritten;
  }
}

async function readIdentity(path: string): Promise<ContentIdentity> {
  try {
    return identity.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    // Without its identity, the content of the part is unknown.
    return {};
  }
}
