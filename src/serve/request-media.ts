import type { Config } from "../config/settings.js";
import { MediaMemory } from "../core/media-memory.js";
import { readCpuMemory } from "../engine/memory/machine-memory.js";
import type { ReadInline } from "../media/inline-media.js";
import { MediaFetcher } from "../media/media-fetcher.js";
import { MediaReader } from "../media/media-reader.js";

/** From the beginning of a fetch to its end: what is slower is not worth a client's time. */
const FETCH_LIMIT_MS = 30_000;

const MIB = 2 ** 20;

/** Of the machine's memory. */
const USUAL_SHARE = 1 / 4;
const USUAL_LIMIT_BYTES = 4096 * MIB;

/** All files of a request together, as a multiple of the largest one. */
const FILES_IN_ALL = 4;

export type MediaConfig = Pick<Config, "mediaFetch" | "maxMedia" | "maxMediaFile" | "mediaRam">;

/** What requests bring beside text, as it is read for all models. */
export interface RequestMedia {
  readonly reader: MediaReader;
  /** For large bodies, and for the files of requests. */
  readonly memory: MediaMemory;
  close(): Promise<void>;
}

/**
 * Fetches files where the operator lets some be fetched.
 * @param readLarge reads large files outside the event loop
 */
export function openRequestMedia(
  { mediaFetch: hosts, maxMedia, maxMediaFile, mediaRam }: MediaConfig,
  readLarge: ReadInline,
): RequestMedia {
  const memory = new MediaMemory(mediaBytesOf(mediaRam, readCpuMemory().totalCpuBytes));
  // Files that are fetched take twice their size.
  const maxBytes = Math.min(maxMediaFile * MIB, memory.limitBytes / 2);
  const totalBytes = Math.min(FILES_IN_ALL * maxBytes, memory.limitBytes / 2);
  const limits = { files: maxMedia, fileBytes: maxBytes, totalBytes };
  const fetcher =
    hosts.length === 0 ? undefined : new MediaFetcher({ hosts, maxBytes, limitMs: FETCH_LIMIT_MS });
  return {
    reader: new MediaReader(limits, { fetcher, readLarge, memory }),
    memory,
    close: async () => fetcher?.close(),
  };
}

/**
 * Memory for media, in bytes.
 * @param mediaRam as the operator says, in MiB
 * @param totalBytes of the machine, or the limit of its container
 */
export function mediaBytesOf(mediaRam: number | undefined, totalBytes: number): number {
  if (mediaRam !== undefined) return mediaRam * MIB;
  return Math.min(Math.floor(USUAL_SHARE * totalBytes), USUAL_LIMIT_BYTES);
}
