import PQueue from "p-queue";
import { createRefusal } from "../core/errors.js";
import type { MediaFile, MediaSource } from "../core/media.js";
import type { MediaMemory } from "../core/media-memory.js";
import { isDataUrl } from "../validation/data-url.js";
import { preview } from "../validation/preview.js";
import { type InlineSource, type ReadInline, readInline, toFile } from "./inline-media.js";
import type { MediaFetcher } from "./media-fetcher.js";
import { isFileUrl, type MediaFolder } from "./media-folder.js";

/**
 * Maximum concurrent fetches over all requests: each holds a file in memory whose size is not known
 * in advance.
 */
const MAX_CONCURRENT_FETCHES = 8;

/** Optional dependencies for reading media. */
export interface MediaReading {
  /** Absent: nothing is fetched. */
  readonly fetcher?: Pick<MediaFetcher, "fetch"> | undefined;
  /** Absent: no files of this machine are read. */
  readonly folder?: Pick<MediaFolder, "read"> | undefined;
  /** Reads large files outside the event loop. @default like small ones */
  readonly readLarge?: ReadInline | undefined;
  /**
   * Memory budget for fetched files; files embedded in request bodies count towards it as well.
   * @default no limit
   */
  readonly memory?: Pick<MediaMemory, "reserve"> | undefined;
}

/** Minimum length of a source that is read outside the event loop, in characters. */
const LARGE_CHARACTERS = 256 * 1024;

/** Reads files that requests embed, and fetches files that requests refer to by URL. */
export class MediaFiles {
  readonly #maxBytes: number;
  readonly #fetcher: MediaReading["fetcher"];
  readonly #folder: MediaReading["folder"];
  readonly #readLarge: ReadInline;
  readonly #fetches = new PQueue({ concurrency: MAX_CONCURRENT_FETCHES });

  /** @param maxBytes maximum size of one file */
  constructor(maxBytes: number, { fetcher, folder, readLarge = readInline }: MediaReading = {}) {
    this.#maxBytes = maxBytes;
    this.#fetcher = fetcher;
    this.#folder = folder;
    this.#readLarge = readLarge;
  }

  /**
   * Reads or fetches a file.
   * @param field request field with the source, for errors
   * @throws {GgufdError} `invalid_request`; the signal's reason when it is aborted
   */
  async read(source: MediaSource, field: string, signal: AbortSignal): Promise<MediaFile> {
    if (!isInline(source)) return toFile(await this.#fetch(source.url, field, signal));
    const { length } = source.type === "base64" ? source.text : source.url;
    const read = length > LARGE_CHARACTERS ? this.#readLarge : readInline;
    const file = await read(source, this.#maxBytes);
    signal.throwIfAborted();
    if (typeof file !== "string") return file;
    throw createRefusal("invalid_request", [{ field, reason: file }]);
  }

  async #fetch(url: string, field: string, signal: AbortSignal): Promise<Buffer> {
    if (isFileUrl(url) && this.#folder !== undefined) return this.#folder.read(url, field);
    const fetcher = this.#fetcher;
    if (fetcher !== undefined) {
      return this.#fetches.add(() => fetcher.fetch(url, field, signal), { signal });
    }
    const reason = `expected data:TYPE;base64,CONTENT, because this server fetches nothing (--media-fetch), got ${preview(url)}`;
    throw createRefusal("invalid_request", [{ field, reason }]);
  }
}

/** Whether a source contains its content. */
export function isInline(source: MediaSource): source is InlineSource {
  return source.type === "base64" || isDataUrl(source.url);
}
