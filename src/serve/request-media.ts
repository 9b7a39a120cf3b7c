import type { Config } from "../config/settings.js";
import { MediaMemory } from "../core/media-memory.js";
import { readCpuMemory } from "../engine/memory/cpu-memory.js";
import type { ReadInline } from "../media/inline-media.js";
import type { MediaFetcher, MediaFetchLimits } from "../media/media-fetcher.js";
import { MediaFolder } from "../media/media-folder.js";
import { MediaReader } from "../media/media-reader.js";

/** Maximum duration of a fetch, in milliseconds; slower files are not worth a client's time. */
const FETCH_LIMIT_MS = 30_000;

const MIB = 2 ** 20;

/** Default share of the machine's memory for media. */
const DEFAULT_SHARE = 1 / 4;
const DEFAULT_LIMIT_BYTES = 4096 * MIB;

/**
 * Maximum size of all files of a request together, as a multiple of the maximum size of one file.
 */
const TOTAL_TO_FILE_RATIO = 4;

export type MediaConfig = Pick<
  Config,
  "mediaFetch" | "mediaPath" | "maxMedia" | "maxMediaFile" | "mediaRam"
>;

/** Reader of the media of requests, shared by all models. */
export interface RequestMedia {
  readonly reader: MediaReader;
  /** Memory budget for large bodies and the files of requests. */
  readonly memory: MediaMemory;
  close(): Promise<void>;
}

/**
 * Opens the reader of media. Files are fetched only if the operator allows some hosts.
 * @param readLarge reads large files outside the event loop
 */
export async function openRequestMedia(
  { mediaFetch: hosts, mediaPath, maxMedia, maxMediaFile, mediaRam }: MediaConfig,
  readLarge: ReadInline,
): Promise<RequestMedia> {
  const memory = new MediaMemory(computeMediaBytes(mediaRam, readCpuMemory().totalCpuBytes));
  // Fetched files take twice their size in memory.
  const maxBytes = Math.min(maxMediaFile * MIB, memory.limitBytes / 2);
  const totalBytes = Math.min(TOTAL_TO_FILE_RATIO * maxBytes, memory.limitBytes / 2);
  const limits = { files: maxMedia, fileBytes: maxBytes, totalBytes };
  const fetcher = hosts.length === 0 ? undefined : await openFetcher({ hosts, maxBytes });
  const folder = mediaPath === undefined ? undefined : new MediaFolder(mediaPath, maxBytes);
  return {
    reader: new MediaReader(limits, { fetcher, folder, readLarge, memory }),
    memory,
    close: async () => fetcher?.close(),
  };
}

async function openFetcher(limits: Omit<MediaFetchLimits, "limitMs">): Promise<MediaFetcher> {
  // Imported on demand: few servers fetch files.
  const { MediaFetcher } = await import("../media/media-fetcher.js");
  return new MediaFetcher({ ...limits, limitMs: FETCH_LIMIT_MS });
}

/**
 * Computes the memory for media, in bytes.
 * @param mediaRam configured value, in MiB; `undefined`: a quarter of the memory, at most 4096 MiB
 * @param totalBytes memory of the machine, or the limit of its container
 */
export function computeMediaBytes(mediaRam: number | undefined, totalBytes: number): number {
  if (mediaRam !== undefined) return mediaRam * MIB;
  return Math.min(Math.floor(DEFAULT_SHARE * totalBytes), DEFAULT_LIMIT_BYTES);
}
