import { crc32, deflateSync } from "node:zlib";

/** A picture's pixels, row by row: red, green and blue of each. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Eight bits of a channel, three channels; compressed and filtered as all PNGs are, not interlaced. */
const FORM = [8, 2, 0, 0, 0];
/** Stands before each row: its bytes are stored as they are. */
const UNFILTERED = 0;

/** A PNG file. */
export function toPng({ width, height, rgb }: Pixels): Buffer {
  const header = Buffer.from([...uint32(width), ...uint32(height), ...FORM]);
  const rows = Array.from({ length: height }, (_, row) =>
    Buffer.concat([Buffer.of(UNFILTERED), rgb.subarray(3 * width * row, 3 * width * (row + 1))]),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([uint32(data.length), checked, uint32(crc32(checked))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
