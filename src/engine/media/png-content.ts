import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Length, type, then the content, then a checksum. */
const CHUNK_HEADER_BYTES = 8;
const CHECKSUM_BYTES = 4;
/** Of the compressed content, but for Apple's PNGs (`CgBI`). */
const ZLIB_HEADER_BYTES = 2;
/** Of a pixel: four channels of 16 bits. */
const MAX_PIXEL_BYTES = 8;
/** A byte before each row, of seven images where it is interlaced. */
const FILTER_BYTES_PER_ROW = 8;
/** What is inflated at once, and forgotten. */
const BLOCK_BYTES = 1 << 18;

/**
 * Whether the content of a PNG is no longer than its header says. The decoder inflates it to its end, however long that
 * is, and a thousandth of it is enough of a file. Nothing of it is kept here, nor inflated if the decoder does not either.
 * @param maxPixels of an image that the decoder inflates
 * @returns `true` also for what is no PNG, or a broken one: the decoder says so
 */
export async function isPngContentAsLarge(bytes: Uint8Array, maxPixels: number): Promise<boolean> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return true;
  const chunks = [...chunksOf(file)];
  const header = chunks.find(({ type, data }) => type === "IHDR" && data.length >= 8)?.data;
  if (header === undefined) return true;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (width * height > maxPixels) return true;
  const isApples = chunks.some(({ type }) => type === "CgBI");
  const content = Buffer.concat(
    chunks.flatMap(({ type, data }) => (type === "IDAT" ? [data] : [])),
  );
  const compressed = content.subarray(isApples ? 0 : ZLIB_HEADER_BYTES);
  return isInflatedWithin(
    compressed,
    width * height * MAX_PIXEL_BYTES + height * FILTER_BYTES_PER_ROW,
  );
}

async function isInflatedWithin(compressed: Buffer, maxBytes: number): Promise<boolean> {
  let inflatedBytes = 0;
  const inflate = createInflateRaw({ chunkSize: BLOCK_BYTES });
  try {
    await pipeline(Readable.from([compressed]), inflate, async (blocks: AsyncIterable<Buffer>) => {
      for await (const { length } of blocks) {
        inflatedBytes += length;
        if (inflatedBytes > maxBytes) return;
      }
    });
  } catch {
    // It is broken behind that.
  }
  return inflatedBytes <= maxBytes;
}

function* chunksOf(file: Buffer): Generator<{ readonly type: string; readonly data: Buffer }> {
  let at = SIGNATURE.length;
  while (at + CHUNK_HEADER_BYTES <= file.length) {
    const begin = at + CHUNK_HEADER_BYTES;
    const end = begin + file.readUInt32BE(at);
    yield { type: file.toString("latin1", at + 4, begin), data: file.subarray(begin, end) };
    at = end + CHECKSUM_BYTES;
  }
}
