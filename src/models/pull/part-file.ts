import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { syncFolder } from "../../files/durable-file.js";
import { nodeFileSystem } from "../../files/file-system.js";
import { PARTIAL } from "../store/own-models.js";

/** What identifies the content that a part is the beginning of. */
export interface ContentIdentity {
  readonly sha256?: string | undefined;
  /** A strong entity tag, as the server wrote it. */
  readonly etag?: string | undefined;
}

const identity = z.object({ sha256: z.string().optional(), etag: z.string().optional() });

/** What is read at once of what is there already: hashing it takes a millisecond. */
const READ_BYTES = 1024 * 1024;

/**
 * A file on its way to its place: `NAME.part` beside it, and `NAME.part.json` that says what it is the beginning of. Its
 * digest is computed as it grows.
 */
export class PartFile {
  readonly #place: string;
  readonly #handle: FileHandle;
  #identity: ContentIdentity;
  #hash: Hash = createHash("sha256");
  #sizeBytes = 0;

  /**
   * Opens the part of a file, with what an earlier transfer has left of it.
   * @param place that the file is to have
   * @param onRead told how much of what is there has been read again
   */
  static async open(
    place: string,
    signal: AbortSignal,
    onRead: (completedBytes: number) => void,
  ): Promise<PartFile> {
    const path = `${place}${PARTIAL}`;
    const handle = await open(path, "a+");
    try {
      const part = new PartFile(place, handle, await readIdentity(`${path}.json`));
      await part.#readAgain(signal, onRead);
      return part;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  private constructor(place: string, handle: FileHandle, noted: ContentIdentity) {
    this.#place = place;
    this.#handle = handle;
    this.#identity = noted;
  }

  get path(): string {
    return `${this.#place}${PARTIAL}`;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Of the content that is here the beginning of. */
  get identity(): ContentIdentity {
    return this.#identity;
  }

  /** Notes what content the part is of, before the first byte of it. */
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

  /** Begins again. */
  async clear(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = createHash("sha256");
    this.#sizeBytes = 0;
  }

  /** The digest of all that is here, in hexadecimal digits. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }

  /** The first bytes. */
  async beginning(bytes: number): Promise<Buffer> {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await this.#handle.read(buffer, 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  }

  /** Gives the complete file its name, durably. The part is closed. */
  async finish(): Promise<void> {
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.path, this.#place);
    await rm(`${this.path}.json`, { force: true });
    await syncFolder(nodeFileSystem, dirname(this.#place));
  }

  /** Removes what is of no use. The part is closed. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(this.path, { force: true });
    await rm(`${this.path}.json`, { force: true });
  }

  /** Leaves what is here for the next transfer; nothing, where there is nothing. */
  async close(): Promise<void> {
    if (this.#sizeBytes === 0) await this.discard();
    else await this.#handle.close();
  }

  async #readAgain(signal: AbortSignal, onRead: (completedBytes: number) => void): Promise<void> {
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

/** Continues after short writes, which a disk makes that is nearly full. */
async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    written += (await handle.write(chunk, written)).bytesWritten;
  }
}

async function readIdentity(path: string): Promise<ContentIdentity> {
  try {
    return identity.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    // Without it, nobody knows what the part is of.
    return {};
  }
}
