import { preview } from "../validation/preview.js";

/** Bytes that a text brings along. */
export interface InlineMedia {
  /** In lower case, without parameters; empty: the URL has none. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** `data:`, a type with parameters, and `;base64`: RFC 2397, as far as clients of models use it. */
const DATA_URL = /^data:(?<type>[^,;]{0,100})(?:;[^,;]{1,100}){0,5}?;base64,/i;

/** Whether a URL has its content in itself. */
export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

/**
 * The content of a data URL.
 * @returns what is wrong with it, as `expected …, got …`, if it cannot be read
 */
export function readDataUrl(url: string, maxBytes: number): InlineMedia | string {
  const match = DATA_URL.exec(url);
  if (match === null) return `expected data:TYPE;base64,CONTENT, got ${preview(url)}`;
  const bytes = readBase64(url.slice(match[0].length), maxBytes);
  if (typeof bytes === "string") return bytes;
  return { mediaType: (match.groups?.type ?? "").trim().toLowerCase(), bytes };
}

/**
 * Bytes in base64, without white space; their padding may be missing.
 * @returns what is wrong with it, as `expected …, got …`, if it cannot be read
 */
export function readBase64(text: string, maxBytes: number): Buffer | string {
  const characters = text.length - paddingOf(text);
  const sizeBytes = Math.floor(characters * 0.75);
  if (sizeBytes > maxBytes) return `expected at most ${maxBytes} bytes, got ${sizeBytes}`;
  if (characters === 0) return "expected a file, got nothing";
  const bytes = Buffer.from(text, "base64");
  // Buffer leaves out what is not base64, so that bytes are missing; but it also reads base64url, and the low byte of
  // characters outside ASCII. A regular expression takes six times as long.
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
