import { crc32, deflateSync } from "node:zlib";

/** Red, green and blue of a pixel, from 0 to 255. */
export type Paint = (x: number, y: number) => readonly [red: number, green: number, blue: number];

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The usual size: a model's projector scales it. */
const SMALL: Size = { width: 48, height: 32 };

/** Pictures that have nothing in common. */
export const paints = {
  reds: (x, y) => [255 - x, 2 * y, x % 16],
  stripes: (x) => (x % 8 < 4 ? [0, 40, 255] : [250, 250, 10]),
  rings: (x, y) => [0, Math.round(127 + 127 * Math.sin(Math.hypot(x - 24, y - 16))), 90],
  dark: (x, y) => [(x * y) % 20, 5, 10],
} as const satisfies Record<string, Paint>;

export function png(paint: Paint, size: Size = SMALL): Buffer {
  return pngOf(size, deflateSync(rowsOf(paint, size)));
}

/** A PNG with this size in its header, and this content, which need not fit. */
export function pngOf({ width, height }: Size, deflated: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  header.writeUInt8(2, 9);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflated),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** A filter's byte, then the pixels of a row. */
function rowsOf(paint: Paint, { width, height }: Size): Buffer {
  return Buffer.concat(
    upTo(height).map((y) => Buffer.from([0, ...upTo(width).flatMap((x) => paint(x, y))])),
  );
}

/** An uncompressed BMP. */
export function bmp(paint: Paint, { width, height }: Size = SMALL): Buffer {
  const rows = upTo(height).map((row) => {
    const pixels = upTo(width).flatMap((x) => paint(x, height - 1 - row).toReversed());
    return Buffer.from([...pixels, ...Array<number>(-pixels.length & 3).fill(0)]);
  });
  const content = Buffer.concat(rows);
  const header = Buffer.alloc(54);
  header.write("BM");
  header.writeUInt32LE(header.length + content.length, 2);
  header.writeUInt32LE(header.length, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return Buffer.concat([header, content]);
}

/** GIF with 128 greys, whose codes are reset so often that each stays a byte. */
export function gif(paint: Paint, { width, height }: Size = SMALL): Buffer {
  const header = Buffer.from("GIF89a\0\0\0\0\xf6\0\0", "latin1");
  const image = Buffer.from(",\0\0\0\0\0\0\0\0\0", "latin1");
  for (const [part, at] of [
    [header, 6],
    [image, 5],
  ] as const) {
    part.writeUInt16LE(width, at);
    part.writeUInt16LE(height, at + 2);
  }
  const greys = Buffer.from(upTo(128).flatMap((grey) => [2 * grey, 2 * grey, 2 * grey]));
  const pixels = upTo(height).flatMap((y) =>
    upTo(width).map((x) => Math.floor(paint(x, y).reduce((sum, part) => sum + part) / 6)),
  );
  const [clear, end] = [128, 129];
  const codes = Buffer.from([...chunksOf(pixels, 100).flatMap((chunk) => [clear, ...chunk]), end]);
  const blocks = chunksOf([...codes], 255).map((block) => Buffer.from([block.length, ...block]));
  return Buffer.concat([header, greys, image, Buffer.from([7]), ...blocks, Buffer.from("\0;")]);
}

export interface Tone {
  readonly hertz: number;
  /** @default 0.5 */
  readonly seconds?: number;
}

const SAMPLE_RATE = 16_000;

/** A WAV file of 16-bit samples. */
export function wav(tone: Tone): Buffer {
  return wavOf(samplesOf(tone));
}

/** WAV file with these samples; its header may declare another number of bytes. */
export function wavOf(samples: Buffer, toldBytes = samples.length): Buffer {
  return wavWith({ format: 1, bytes: 2 }, samples, toldBytes);
}

/** A WAV file of samples that are floats. */
export function floatWav(samples: Float32Array): Buffer {
  return wavWith({ format: 3, bytes: 4 }, Buffer.from(samples.buffer), samples.byteLength);
}

function wavWith(
  { format, bytes }: { readonly format: number; readonly bytes: number },
  samples: Buffer,
  toldBytes: number,
): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF");
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(format, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(bytes * SAMPLE_RATE, 28);
  header.writeUInt16LE(bytes, 32);
  header.writeUInt16LE(8 * bytes, 34);
  header.write("data", 36);
  header.writeUInt32LE(toldBytes, 40);
  return Buffer.concat([header, samples]);
}

export function samplesOf({ hertz, seconds = 0.5 }: Tone): Buffer {
  const samples = Buffer.alloc(2 * Math.floor(seconds * SAMPLE_RATE));
  for (const index of upTo(samples.length / 2)) {
    const phase = (2 * Math.PI * hertz * index) / SAMPLE_RATE;
    samples.writeInt16LE(Math.round(12_000 * Math.sin(phase)), 2 * index);
  }
  return samples;
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function chunksOf<Value>(values: readonly Value[], size: number): Value[][] {
  return upTo(Math.ceil(values.length / size)).map((index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
