import type { Config } from "../config/settings.js";
import type { ReadInline } from "../media/inline-media.js";
import { MediaFetcher } from "../media/media-fetcher.js";
import { MediaReader } from "../media/media-reader.js";

/** From the beginning of a fetch to its end: what is slower is not worth a client's time. */
const FETCH_LIMIT_MS = 30_000;

/** All files of a request together, as a multiple of the largest one. */
const FILES_IN_ALL = 4;

export type MediaConfig = Pick<Config, "mediaFetch" | "maxMedia" | "maxMediaFile">;

/** What requests bring beside text, as it is read for all models. */
export interface RequestMedia {
  readonly reader: MediaReader;
  close(): Promise<void>;
}

/**
 * Fetches files where the operator lets some be fetched.
 * @param readLarge reads large files outside the event loop
 */
export function openRequestMedia(
  { mediaFetch: hosts, maxMedia, maxMediaFile }: MediaConfig,
  readLarge: ReadInline,
): RequestMedia {
  const maxBytes = maxMediaFile * 2 ** 20;
  const limits = { files: maxMedia, fileBytes: maxBytes, totalBytes: FILES_IN_ALL * maxBytes };
  const fetcher =
    hosts.length === 0 ? undefined : new MediaFetcher({ hosts, maxBytes, limitMs: FETCH_LIMIT_MS });
  return {
    reader: new MediaReader(limits, { fetcher, readLarge }),
    close: async () => fetcher?.close(),
  };
}
