import { webcrypto } from "node:crypto";
import type { MediaFile, MediaSource } from "../core/media.js";
import { readBase64, readDataUrl } from "../validation/data-url.js";

/** A source that contains its content. */
export type InlineSource =
  | Extract<MediaSource, { readonly type: "base64" }>
  | { readonly type: "url"; readonly url: `data:${string}` };

/**
 * Decodes and hashes the content of a source.
 * @param maxBytes maximum size of the file
 * @returns the file, or why it cannot be read, as `expected …, got …`
 */
export type ReadInline = (source: InlineSource, maxBytes: number) => Promise<MediaFile | string>;

/**
 * Decodes in this thread and hashes outside it; decoding ten megabytes takes tens of milliseconds.
 */
export const readInline: ReadInline = async (source, maxBytes) => {
  const bytes = decodeContent(source, maxBytes);
  return typeof bytes === "string" ? bytes : toFile(bytes);
};

function decodeContent(source: InlineSource, maxBytes: number): Buffer | string {
  if (source.type === "base64") return readBase64(source.text, maxBytes);
  const media = readDataUrl(source.url, maxBytes);
  return typeof media === "string" ? media : media.bytes;
}

/** Hashes the bytes of a file, outside the event loop. The bytes must not be in shared memory. */
export async function toFile(bytes: Buffer): Promise<MediaFile> {
  const digest = await webcrypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return { type: "file", bytes, hash: Buffer.from(digest).toString("hex") };
}
