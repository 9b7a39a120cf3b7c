/**
 * Files whose structures no encoder writes: sizes, counts and nesting at the limits of their
 * fields.
 */
import { deflateSync } from "node:zlib";
import type { Random } from "../../models/random/random-choices.js";
import { jpegOfScans } from "../../models/random/slow-images.js";
import { bmp, gif, paints, png, pngChunk, wav } from "./media-files.js";

/** Numbers at the limits of field types. */
export const BORDERS = [
  ...[0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000],
  ...[0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff],
];

const SMALL = { width: 12, height: 9 };
const chars = (text: string) => Buffer.from(text, "latin1");

function be32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number >>> 0);
  return bytes;
}

function le32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number >>> 0);
  return bytes;
}

const le16 = (number: number) => le32(number).subarray(0, 2);

type Write = (random: Random) => Buffer;
const border = (random: Random) => random.pick(BORDERS);

/** Any size, depth, colour type and interlacing, and content that need not fit. */
const pngOfAnyHeader: Write = (random) => {
  const header = Buffer.concat([
    be32(border(random)),
    be32(border(random)),
    Buffer.from([
      random.pick([0, 1, 2, 4, 8, 16, 255]),
      random.pick([0, 2, 3, 4, 6, 9]),
      random.pick([0, 1]),
      random.pick([0, 1]),
      random.pick([0, 1, 2]),
    ]),
  ]);
  const content = deflateSync(Buffer.alloc(random.int(0, 4096), random.int(0, 255)));
  return Buffer.concat([
    chars("\x89PNG\r\n\x1a\n"),
    pngChunk("IHDR", header),
    ...(random.chance(0.3)
      ? [pngChunk("PLTE", Buffer.alloc(random.pick([0, 3, 5, 768, 771])))]
      : []),
    ...(random.chance(0.3) ? [pngChunk("tRNS", Buffer.alloc(random.pick([0, 1, 2, 6, 300])))] : []),
    pngChunk("IDAT", content),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
};

/** Thousands of chunks, before or within the content. */
const pngOfManyChunks: Write = (random) => {
  const file = png(paints.reds, SMALL);
  const type = random.pick(["IDAT", "tEXt", "PLTE", "IHDR", "CgBI"]);
  const chunk = pngChunk(type, Buffer.alloc(random.pick([0, 1, 13])));
  const at = random.pick([8, 33]);
  const chunks = new Array<Buffer>(random.pick([1, 100, 20_000])).fill(chunk);
  return Buffer.concat([file.subarray(0, at), ...chunks, file.subarray(at)]);
};

const pngOfWrongLengths: Write = (random) => {
  const file = Buffer.from(png(paints.reds, SMALL));
  file.writeUInt32BE(border(random), random.pick([8, 33, file.length - 12]));
  return file;
};

const jpegOfManyScans: Write = (random) =>
  jpegOfScans(
    { width: random.pick([1, 7, 8, 500, 4000, 65_535]), height: random.pick([1, 8, 500, 4000]) },
    random.pick([0, 1, 100, 3000]),
  );

/** A header that promises several components of any sampling, and tables that are not there. */
const jpegOfAnyFrame: Write = (random) => {
  const components = random.pick([0, 1, 3, 4, 255]);
  const described = Array.from({ length: components }, (_, id) => [
    ...[id, random.pick([0, 0x11, 0x22, 0x41, 0xff]), random.pick([0, 1, 5])],
  ]).flat();
  const size = () => {
    const number = border(random);
    return [(number >> 8) & 0xff, number & 0xff];
  };
  const frame = [random.pick([0, 8, 12]), ...size(), ...size(), components, ...described];
  const length = frame.length + 2;
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, random.pick([0xc0, 0xc1, 0xc2, 0xc9])]),
    Buffer.from([length >> 8, length & 0xff, ...frame]),
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, ...new Array<number>(200).fill(0x55)]),
    Buffer.from([0xff, 0xd9]),
  ]);
};

/** Any screen and frame sizes, palettes and code sizes; thousands of frames. */
const gifOfAnySizes: Write = (random) => {
  const file = Buffer.from(gif(paints.reds, SMALL));
  for (const at of [6, 8, 13 + 384 + 5, 13 + 384 + 7]) {
    if (random.chance(0.5)) file.writeUInt16LE(border(random) & 0xffff, at);
  }
  if (random.chance(0.5)) file.writeUInt8(random.int(0, 255), 10);
  if (random.chance(0.5)) file.writeUInt8(random.pick([0, 1, 2, 8, 12, 13, 255]), 13 + 384 + 10);
  const frame = file.subarray(13 + 384, -1);
  const frames = new Array<Buffer>(random.pick([1, 2, 1000])).fill(frame);
  return Buffer.concat([file.subarray(0, 13 + 384), ...frames, chars(";")]);
};

const bmpOfAnyHeader: Write = (random) => {
  const file = Buffer.from(bmp(paints.reds, SMALL));
  const fields = [10, 14, 18, 22, 30, 34, 46, 50];
  for (const at of fields) if (random.chance(0.4)) file.writeUInt32LE(border(random), at);
  if (random.chance(0.6)) file.writeUInt16LE(random.pick([0, 1, 4, 8, 16, 24, 32, 64]), 28);
  return file;
};

function riffChunk(type: string, content: Buffer, told = content.length): Buffer {
  return Buffer.concat([chars(type), le32(told), content, Buffer.alloc(content.length % 2)]);
}

/** Chunks of WebP in any order, with any sizes, and frames without an end. */
const webpOfAnyChunks: Write = (random) => {
  const extended = Buffer.concat([
    Buffer.from([random.int(0, 255), 0, 0, 0]),
    ...[border(random), border(random)].map((number) => le32(number).subarray(0, 3)),
  ]);
  const frame = riffChunk(
    "ANMF",
    Buffer.concat([Buffer.alloc(16), riffChunk("VP8L", chars("\x2f"))]),
  );
  const lossless = Buffer.concat([chars("\x2f"), le32(border(random)), Buffer.alloc(20, 0x5a)]);
  const chunks = [
    riffChunk("VP8X", extended),
    riffChunk("ANIM", Buffer.alloc(random.pick([0, 6]))),
    ...new Array<Buffer>(random.pick([0, 1, 5000])).fill(frame),
    riffChunk("VP8L", lossless, random.chance(0.5) ? border(random) : lossless.length),
  ].filter(() => random.chance(0.8));
  const content = Buffer.concat([chars("WEBP"), ...chunks]);
  return riffChunk("RIFF", content, random.chance(0.5) ? border(random) : content.length);
};

/** Boxes of AVIF within boxes, with sizes that need not fit. */
const avifOfNestedBoxes: Write = (random) => {
  const box = (type: string, content: Buffer, told = content.length + 8) =>
    Buffer.concat([be32(told), chars(type), content]);
  let nested = box("hdlr", Buffer.alloc(24));
  const depth = random.pick([1, 10, 5000]);
  for (let level = 0; level < depth; level++) {
    nested = box(
      random.pick(["meta", "iprp", "ipco", "iinf"]),
      nested,
      random.chance(0.02) ? border(random) : undefined,
    );
  }
  return Buffer.concat([box("ftyp", chars("avif\0\0\0\0avifmif1miaf")), nested]);
};

/** Any rate, channels, sample size and length; hardly any samples; chunks within chunks. */
const wavOfAnyHeader: Write = (random) => {
  const format = Buffer.concat([
    le16(random.pick([0, 1, 2, 3, 6, 7, 0x11, 0xfffe, 0xffff])),
    le16(random.pick([0, 1, 2, 255, 65_535])),
    le32(random.pick([0, 1, 8000, 44_100, 48_000, 384_000, 0xffff_ffff])),
    le32(border(random)),
    le16(random.pick([0, 1, 2, 4, 65_535])),
    le16(random.pick([0, 1, 8, 16, 24, 32, 64, 65_535])),
  ]);
  const samples = Buffer.alloc(random.pick([0, 1, 2, 3, 4, 6, 400, 65_536]), 0x22);
  let list = riffChunk("LIST", chars("INFO"));
  for (let level = 0; level < random.pick([0, 1, 2000]); level++) list = riffChunk("LIST", list);
  const content = Buffer.concat([
    chars("WAVE"),
    ...(random.chance(0.5) ? [list] : []),
    riffChunk("fmt ", format, random.chance(0.2) ? border(random) : format.length),
    riffChunk("data", samples, random.chance(0.5) ? border(random) : samples.length),
  ]);
  return riffChunk("RIFF", content);
};

/** Up to three samples, at rates that require a conversion by the decoder. */
const wavOfFewSamples: Write = (random) => {
  const file = Buffer.from(wav({ hertz: 440, seconds: 0.02 }));
  const samples = random.int(0, 3);
  file.writeUInt32LE(random.pick([1, 8000, 16_000, 44_100, 48_000, 192_000]), 24);
  file.writeUInt32LE(2 * samples, 40);
  return file.subarray(0, 44 + 2 * samples);
};

/** Metadata of any type and length before, or instead of, the audio. */
const flacOfAnyMetadata: Write = (random) => {
  const blocks = Array.from({ length: random.pick([1, 3, 3000]) }, () => {
    const told = random.chance(0.5) ? border(random) & 0xff_ffff : 34;
    return Buffer.concat([
      Buffer.from([random.pick([0, 1, 3, 4, 5, 6, 127, 0x80])]),
      be32(told).subarray(1),
      Buffer.alloc(34, random.int(0, 255)),
    ]);
  });
  return Buffer.concat([chars("fLaC"), ...blocks, Buffer.alloc(100, 0xff)]);
};

/** A tag of any length, and frames that are headers alone. */
const mp3OfManyFrames: Write = (random) =>
  Buffer.concat([
    ...(random.chance(0.5)
      ? [chars("ID3\x04\0\0"), Buffer.alloc(4, random.pick([0, 1, 0x7f, 0xff]))]
      : []),
    ...new Array<Buffer>(random.pick([3, 300, 20_000])).fill(
      Buffer.from([0xff, random.pick([0xfb, 0xf3, 0xe3]), random.int(0, 255), random.int(0, 255)]),
    ),
  ]);

export const HOSTILE_IMAGES: readonly Write[] = [
  ...[pngOfAnyHeader, pngOfManyChunks, pngOfWrongLengths, jpegOfManyScans, jpegOfAnyFrame],
  ...[gifOfAnySizes, bmpOfAnyHeader, webpOfAnyChunks, avifOfNestedBoxes],
];

export const HOSTILE_SOUNDS: readonly Write[] = [
  ...[wavOfAnyHeader, wavOfFewSamples, flacOfAnyMetadata, mp3OfManyFrames],
];
