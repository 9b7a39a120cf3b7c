import { crc32, deflateSync } from "node:zlib";
import type { Random } from "../../models/random/random-choices.js";

/** Side length of the squares of a picture, in pixels. */
const SQUARE = 16;

/** Returns a PNG of randomly coloured squares as a data URL; the picture depends on `random`. */
export function pictureUrl(random: Random, side: number): string {
  const perRow = Math.ceil(side / SQUARE);
  const colours = Array.from({ length: perRow ** 2 }, () =>
    [0, 1, 2].map(() => random.int(0, 255)),
  );
  const rgb = new Uint8Array(3 * side ** 2);
  for (let pixel = 0; pixel < side ** 2; pixel++) {
    const [row, column] = [Math.floor(pixel / side), pixel % side];
    const square = Math.floor(row / SQUARE) * perRow + Math.floor(column / SQUARE);
    rgb.set(colours[square] ?? [], 3 * pixel);
  }
  const png = toPng({ width: side, height: side, rgb });
  return `data:image/png;base64,${png.toString("base64")}`;
}

/** Pixels of a picture, row by row, as red, green and blue. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Eight bits per channel, three channels; standard compression and filtering, not interlaced. */
const FORM = [8, 2, 0, 0, 0];
/** Filter byte before each row: bytes are stored unfiltered. */
const UNFILTERED = 0;

/** Encodes a PNG file. */
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
