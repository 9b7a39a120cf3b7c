import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { createRefusal } from "../core/errors.js";
import { resolveBelow } from "../files/below-folder.js";
import { NON_BLOCKING } from "../files/regular-files.js";
import { preview } from "../validation/preview.js";

const SCHEME = /^file:\/\//i;
/** The scheme and slashes before the path: llama-server accepts any number. */
const BEFORE_PATH = /^file:\/\/+/i;

/** Whether a URL refers to a file of this machine. */
export function isFileUrl(url: string): boolean {
  return SCHEME.test(url);
}

/** Folder of this machine whose files requests may name, as in llama-server: `file://cats/1.png`. */
export class MediaFolder {
  readonly #folder: string;
  readonly #maxBytes: number;

  /** @param maxBytes maximum size of a file */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /**
   * Reads a file. Errors reveal nothing about what is outside of the folder.
   * @param url with the path below the folder after `file://`, without escapes
   * @param field request field with the URL, for errors
   * @throws {GgufdError} `invalid_request`
   */
  async read(url: string, field: string): Promise<Buffer> {
    const bytes = await this.#readBelow(url.replace(BEFORE_PATH, "")).catch(() => undefined);
    if (Buffer.isBuffer(bytes)) return bytes;
    const reason =
      bytes === undefined
        ? `expected the path of a file below --media-path, got ${preview(url)}`
        : `expected at most ${this.#maxBytes} bytes, got ${bytes.size}`;
    throw createRefusal("invalid_request", [{ field, reason }]);
  }

  /** @returns the size of a file that is too large; `undefined`: there is no such file */
  async #readBelow(path: string): Promise<Buffer | { readonly size: number } | undefined> {
    const resolved = await resolveBelow(this.#folder, path);
    if (resolved === undefined) return undefined;
    const file = await open(resolved, constants.O_RDONLY | NON_BLOCKING);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return undefined;
      return stats.size > this.#maxBytes ? { size: stats.size } : await file.readFile();
    } finally {
      await file.close();
    }
  }
}
