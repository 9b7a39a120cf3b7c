import { randomFillSync } from "node:crypto";
import { writeSynced } from "./durable-file.js";
import type { FileSystem } from "./file-system.js";
import { unlessMissing } from "./system-errors.js";

export interface SpaceReserveOptions {
  readonly files: FileSystem;
  /** Of the reserve itself. */
  readonly path: string;
  /** By how much the reserve exceeds what it is for: block sizes, and the lock's files. */
  readonly slackBytes: number;
}

/** Only the daemon has to touch it; its content means nothing. */
const MODE = 0o600;
/** Larger than what file systems compress at once. */
const BLOCK_BYTES = 1024 * 1024;

/**
 * Disk space held for the day when the disk is full: replacing a file needs room for its second
 * version, even if that is shorter. The reserve is a file beside it, which is removed to make that
 * room; what the old version leaves then makes a new reserve.
 *
 * It is of no consequence for durability: it may be missing, short or damaged at any time.
 */
export class SpaceReserve {
  readonly #files: FileSystem;
  readonly #path: string;
  readonly #slackBytes: number;
  /** Undefined: to be looked up. */
  #bytes: number | undefined;

  constructor({ files, path, slackBytes }: SpaceReserveOptions) {
    this.#files = files;
    this.#path = path;
    this.#slackBytes = slackBytes;
  }

  /** Makes room. False: there was no reserve, or it cannot be removed. Never rejects. */
  async release(): Promise<boolean> {
    try {
      const bytes = await this.#size();
      await this.#files.rm(this.#path, { force: true });
      this.#bytes = 0;
      return bytes > 0;
    } catch {
      return false;
    }
  }

  /**
   * Holds as much as a file needs, and a quarter more, so that a growing file rarely gets here. On
   * a full disk it holds what there is. Never rejects.
   */
  async fill(fileBytes: number): Promise<void> {
    const leastBytes = fileBytes + this.#slackBytes;
    const wantedBytes = leastBytes + Math.ceil(leastBytes / 4);
    try {
      const bytes = await this.#size();
      if (bytes >= leastBytes && bytes <= 2 * wantedBytes) return;
      this.#bytes = undefined;
      const chunks = incompressible(wantedBytes);
      await writeSynced(this.#files, { path: this.#path, chunks, mode: MODE });
      this.#bytes = wantedBytes;
    } catch {
      // Without a reserve everything works until the disk is full; the next write tries again.
    }
  }

  async #size(): Promise<number> {
    this.#bytes ??= (await unlessMissing(this.#files.stat(this.#path)))?.size ?? 0;
    return this.#bytes;
  }
}

/** Some file systems compress, and store zeros as nothing. One random block, repeated: a reserve may have 100 MiB. */
function incompressible(bytes: number): readonly Uint8Array[] {
  const block = randomFillSync(new Uint8Array(Math.min(bytes, BLOCK_BYTES)));
  const chunks: Uint8Array[] = [];
  for (let left = bytes; left > 0; left -= block.length) chunks.push(block.subarray(0, left));
  return chunks;
}
