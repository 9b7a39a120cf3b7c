import { preview } from "./preview.js";

/** Content that is embedded in a text. */
export interface InlineMedia {
  /** Media type in lower case, without parameters; empty if the URL has none. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/**
 * `data:`, a media type with parameters, and `;base64`: the subset of RFC 2397 that clients of
 * models use.
 */
const DATA_URL = /^data:(?<type>[^,;]{0,100})(?:;[^,;]{1,100}){0,5}?;base64,/i;

/** Whether a URL contains its content. */
export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

/**
 * Decodes a data URL.
 * @param maxBytes maximum size of the content
 * @returns the content, or why it cannot be read, as `expected …, got …`
 */
export function readDataUrl(url: string, maxBytes: number): InlineMedia | string {
  const match = DATA_URL.exec(url);
  if (match === null) return `expected data:TYPE;base64,CONTENT, got ${preview(url)}`;
  const bytes = readBase64(url.slice(match[0].length), maxBytes);
  if (typeof bytes === "string") return bytes;
  return { mediaType: (match.groups?.type ?? "").trim().toLowerCase(), bytes };
}

/**
 * Decodes base64 without white space; the padding may be missing.
 * @param maxBytes maximum size of the result
 * @returns the bytes, or why the text cannot be read, as `expected …, got …`
 */
export function readBase64(text: string, maxBytes: number): Buffer | string {
  const characters = text.length - paddingOf(text);
  const sizeBytes = Math.floor(characters * 0.75);
  if (sizeBytes > maxBytes) return `expected at most ${maxBytes} bytes, got ${sizeBytes}`;
  if (characters === 0) return "expected a file, got nothing";
  const bytes = Buffer.from(text, "base64");
  // Buffer skips characters that are not base64, so the result is too short; but it also accepts
  // base64url, and the low byte of characters outside ASCII. A regular expression takes six times
  // as long.
  const isBase64 =
    characters % 4 !== 1 &&
    bytes.length === sizeBytes &&
    Buffer.byteLength(text) === text.length &&
    !text.includes("-") &&
    !text.includes("_");
  return isBase64 ? bytes : "expected base64, got something else";
}

function paddingOf(text: string): number {
  if (text.endsWith("==")) return 2;
  return text.endsWith("=") ? 1 : 0;
}
