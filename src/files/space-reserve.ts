import { randomFillSync } from "node:crypto";
import { writeSynced } from "./durable-file.js";
import type { FileSystem } from "./file-system.js";
import { unlessMissing } from "./system-errors.js";

export interface SpaceReserveOptions {
  readonly files: FileSystem;
  /** Path of the reserve itself. */
  readonly path: string;
  /** Size of the reserve beyond its purpose, for block sizes and the lock's files. */
  readonly slackBytes: number;
}

/** Private: only the daemon accesses the reserve, and its content is meaningless. */
const MODE = 0o600;
/** Larger than the unit that file systems compress. */
const BLOCK_BYTES = 1024 * 1024;

/**
 * Disk space held for a full disk: replacing a file needs space for its second version, even if
 * that is shorter. The reserve is a file next to it, which is removed to free that space; the space
 * of the old version then becomes the new reserve.
 *
 * Durability does not depend on the reserve, which may be missing, short or damaged at any time.
 */
export class SpaceReserve {
  readonly #files: FileSystem;
  readonly #path: string;
  readonly #slackBytes: number;
  /** Undefined: not looked up yet. */
  #bytes: number | undefined;

  constructor({ files, path, slackBytes }: SpaceReserveOptions) {
    this.#files = files;
    this.#path = path;
    this.#slackBytes = slackBytes;
  }

  /**
   * Frees the reserved space. False: there was no reserve, or it cannot be removed. Never rejects.
   */
  async release(): Promise<boolean> {
    try {
      const bytes = await this.#readSize();
      await this.#files.rm(this.#path, { force: true });
      this.#bytes = 0;
      return bytes > 0;
    } catch {
      return false;
    }
  }

  /**
   * Reserves as much as a file needs plus a quarter, so that a growing file rarely needs a new
   * reserve. On a full disk, reserves what is left. Never rejects.
   */
  async fill(fileBytes: number): Promise<void> {
    const minBytes = fileBytes + this.#slackBytes;
    const targetBytes = minBytes + Math.ceil(minBytes / 4);
    try {
      const bytes = await this.#readSize();
      if (bytes >= minBytes && bytes <= 2 * targetBytes) return;
      this.#bytes = undefined;
      const chunks = createIncompressibleChunks(targetBytes);
      await writeSynced(this.#files, { path: this.#path, chunks, mode: MODE });
      this.#bytes = targetBytes;
    } catch {
      // Without a reserve everything works until the disk is full; the next write tries again.
    }
  }

  async #readSize(): Promise<number> {
    this.#bytes ??= (await unlessMissing(this.#files.stat(this.#path)))?.size ?? 0;
    return this.#bytes;
  }
}

/**
 * Builds chunks that file systems cannot compress or store as holes. All chunks share one random
 * block, because a reserve can be 100 MiB in size.
 */
function createIncompressibleChunks(bytes: number): readonly Uint8Array[] {
  const block = randomFillSync(new Uint8Array(Math.min(bytes, BLOCK_BYTES)));
  const chunks: Uint8Array[] = [];
  for (let remainingBytes = bytes; remainingBytes > 0; remainingBytes -= block.length)
    chunks.push(block.subarray(0, remainingBytes));
  return chunks;
}
