import { webcrypto } from "node:crypto";
import PQueue from "p-queue";
import { refusalOf } from "../core/errors.js";
import type { MediaFile, MediaSource } from "../core/media.js";
import { preview } from "../validation/preview.js";
import { isDataUrl, readBase64, readDataUrl } from "./data-url.js";
import type { MediaFetcher } from "./media-fetcher.js";

/** Of all requests: each holds a file in memory that nobody has counted yet. */
const FETCHES_AT_ONCE = 8;

/** Reads the files that requests have in themselves, and fetches those that they name. */
export class MediaFiles {
  readonly #maxBytes: number;
  readonly #fetcher: Pick<MediaFetcher, "fetch"> | undefined;
  readonly #fetches = new PQueue({ concurrency: FETCHES_AT_ONCE });

  /**
   * @param maxBytes of one file
   * @param fetcher absent: nothing is fetched
   */
  constructor(maxBytes: number, fetcher?: Pick<MediaFetcher, "fetch">) {
    this.#maxBytes = maxBytes;
    this.#fetcher = fetcher;
  }

  /**
   * @param field of the request that has the source, for errors
   * @throws {GgufdError} `invalid_request`; what the signal was aborted with
   */
  async read(source: MediaSource, field: string, signal: AbortSignal): Promise<MediaFile> {
    return toFile(
      isInline(source)
        ? expectBytes(this.#contentOf(source), field)
        : await this.#fetch(source.url, field, signal),
    );
  }

  /** @returns what is wrong with it, if it cannot be read */
  #contentOf(source: MediaSource): Buffer | string {
    if (source.type === "base64") return readBase64(source.text, this.#maxBytes);
    const media = readDataUrl(source.url, this.#maxBytes);
    return typeof media === "string" ? media : media.bytes;
  }

  async #fetch(url: string, field: string, signal: AbortSignal): Promise<Buffer> {
    const fetcher = this.#fetcher;
    if (fetcher !== undefined) {
      return this.#fetches.add(() => fetcher.fetch(url, field, signal), { signal });
    }
    const reason = `expected data:TYPE;base64,CONTENT, because this server fetches nothing (--media-fetch), got ${preview(url)}`;
    throw refusalOf("invalid_request", [{ field, reason }]);
  }
}

type InlineSource = Extract<MediaSource, { readonly type: "base64" }> | DataUrl;
interface DataUrl {
  readonly type: "url";
  readonly url: `data:${string}`;
}

/** Whether the content is in the source itself. */
export function isInline(source: MediaSource): source is InlineSource {
  return source.type === "base64" || isDataUrl(source.url);
}

/** @throws {GgufdError} `invalid_request` for a reason instead of bytes */
function expectBytes(content: Buffer | string, field: string): Buffer {
  if (typeof content !== "string") return content;
  throw refusalOf("invalid_request", [{ field, reason: content }]);
}

/** The hash is computed beside the event loop. What was read is in no memory that threads share. */
async function toFile(bytes: Buffer): Promise<MediaFile> {
  const digest = await webcrypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return { type: "file", bytes, hash: Buffer.from(digest).toString("hex") };
}
