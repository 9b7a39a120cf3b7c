import type { FileHandle } from "node:fs/promises";

/** A line of a file, without its line break. */
export interface FileLine {
  /** Offset of the first byte. */
  readonly offset: number;
  readonly length: number;
  /** `undefined`: the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** Whether a line break follows. */
  readonly isTerminated: boolean;
}

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads a file line by line. Holds one line of at most `maxLineBytes` and one chunk at a time; the
 * bytes of a line are valid until the next one is read.
 */
export async function* readLines(
  file: FileHandle,
  maxLineBytes: number,
): AsyncGenerator<FileLine, void> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let held: Buffer[] = [];
  let heldBytes = 0;
  let offset = 0;
  let length = 0;
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    for (let start = 0; start < bytesRead; ) {
      const feed = chunk.subarray(0, bytesRead).indexOf(LINE_FEED, start);
      const piece = chunk.subarray(start, feed < 0 ? bytesRead : feed);
      length += piece.length;
      const isShort = length <= maxLineBytes;
      if (feed < 0) {
        if (isShort) {
          held.push(Buffer.from(piece));
          heldBytes += piece.length;
        }
        break;
      }
      const bytes = isShort ? Buffer.concat([...held, piece], heldBytes + piece.length) : undefined;
      yield { offset, length, bytes, isTerminated: true };
      held = [];
      heldBytes = 0;
      offset += length + 1;
      length = 0;
      start = feed + 1;
    }
  }
  if (length === 0) return;
  const bytes = length <= maxLineBytes ? Buffer.concat(held, heldBytes) : undefined;
  yield { offset, length, bytes, isTerminated: false };
}
