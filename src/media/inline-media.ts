import { webcrypto } from "node:crypto";
import type { MediaFile, MediaSource } from "../core/media.js";
import { readBase64, readDataUrl } from "./data-url.js";

/** A source that has the content in itself. */
export type InlineSource =
  | Extract<MediaSource, { readonly type: "base64" }>
  | { readonly type: "url"; readonly url: `data:${string}` };

/**
 * Decodes and hashes the content of a source.
 * @param maxBytes of the file
 * @returns what is wrong with it, as `expected …, got …`, if it cannot be read
 */
export type ReadInline = (source: InlineSource, maxBytes: number) => Promise<MediaFile | string>;

/** Does so in this thread, but for the hash: tens of milliseconds for ten megabytes. */
export const readInline: ReadInline = async (source, maxBytes) => {
  const bytes = contentOf(source, maxBytes);
  return typeof bytes === "string" ? bytes : toFile(bytes);
};

function contentOf(source: InlineSource, maxBytes: number): Buffer | string {
  if (source.type === "base64") return readBase64(source.text, maxBytes);
  const media = readDataUrl(source.url, maxBytes);
  return typeof media === "string" ? media : media.bytes;
}

/** Hashes the bytes of a file, outside the event loop. They must be in no memory that threads share. */
export async function toFile(bytes: Buffer): Promise<MediaFile> {
  const digest = await webcrypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return { type: "file", bytes, hash: Buffer.from(digest).toString("hex") };
}
