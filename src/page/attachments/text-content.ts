import { formatBytes } from "../../live-metrics/units.js";

/** Content of a text file. */
export interface TextContent {
  readonly text: string;
  /** Content that was left out or converted. */
  readonly note?: string | undefined;
}

/** Maximum size of a document in UTF-8: three of them fit into the default limit of a request body. */
export const MAX_TEXT_BYTES = 1_000_000;

/** Control characters that no text has, except those for tabs, line breaks, pages and colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds them
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/**
 * Decodes a text file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252.
 * @param bytes beginning of the file
 * @param size of the whole file
 * @returns `undefined` for a binary file
 */
export function decodeText(bytes: Uint8Array, size = bytes.length): TextContent | undefined {
  const decoded = decode(bytes);
  if (decoded === undefined || BINARY.test(decoded.text)) return undefined;
  const text = cutText(decoded.text);
  const isCut = text.length < decoded.text.length || size > bytes.length;
  const notes = [
    decoded.encoding !== undefined && `Read as ${decoded.encoding}.`,
    isCut && `Only the first ${formatBytes(MAX_TEXT_BYTES)} of ${formatBytes(size)} are attached.`,
  ].filter((note) => note !== false);
  return { text, note: notes.length === 0 ? undefined : notes.join(" ") };
}

/** Shortens a text to {@link MAX_TEXT_BYTES}, without splitting a character. */
export function cutText(text: string): string {
  // No UTF-16 unit has more than three bytes in UTF-8.
  if (text.length * 3 <= MAX_TEXT_BYTES) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_TEXT_BYTES) return text;
  const kept = bytes.subarray(0, MAX_TEXT_BYTES);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(kept, { stream: true });
}

function decode(bytes: Uint8Array): { text: string; encoding?: string } | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs("utf-16le", bytes, "UTF-16");
  if (first === 0xfe && second === 0xff) return decodeAs("utf-16be", bytes, "UTF-16");
  return decodeAs("utf-8", bytes) ?? decodeAs("windows-1252", bytes, "Windows-1252");
}

function decodeAs(label: string, bytes: Uint8Array, encoding?: string) {
  try {
    // The beginning of a file may end within a character.
    const text = new TextDecoder(label, { fatal: true }).decode(bytes, { stream: true });
    return { text, ...(encoding !== undefined && { encoding }) };
  } catch {
    return undefined;
  }
}
