import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { decodeFile } from "../../../src/engine/media/decode-file.js";
import type { AcceptedMedia } from "../../../src/engine/media/media-decoder.js";
import { loadDecoder } from "../../../src/engine/native/companion/native-decoder.js";
import { flac, jpeg, mp3 } from "../../support/encoded-media.js";
import { bmp, gif, paints, png, samplesOf, wav, wavOf } from "../../support/media-files.js";

const ALL: AcceptedMedia = {
  images: { maxPixels: 10_000 },
  audio: { sampleRate: 16_000, maxSeconds: 1 },
};
const decode = (file: Uint8Array, accepted = ALL) => decodeFile(loadDecoder(), file, accepted);

const SIZE = { width: 8, height: 4 };
const paint = (x: number, y: number) => [20 * x, 60 * y, 7] as const;
const pixels = Buffer.from(
  Array.from({ length: SIZE.height }, (_, y) =>
    Array.from({ length: SIZE.width }, (_, x) => paint(x, y)),
  ).flat(2),
);
const picture = png(paint, SIZE);
/**
 * Built from raw pixels: once decoding has loaded libvips, it only reads the formats that decoding
 * needs.
 */
const raw = { ...SIZE, channels: 3 } as const;
const lossless = (format: "webp" | "avif") =>
  sharp(pixels, { raw })
    .toFormat(format, { lossless: true, chromaSubsampling: "4:4:4" })
    .toBuffer();

describe("an image", () => {
  test.each([
    ["PNG", () => picture],
    ["BMP", () => bmp(paint, SIZE)],
    ["WebP", () => lossless("webp")],
  ])("is decoded to rows of red, green and blue: %s", async (_, file) => {
    expect(await decode(await file())).toEqual({ kind: "image", ...SIZE, pixels });
  });

  test.each([
    ["JPEG", async () => jpeg, { width: 24, height: 16 }],
    ["GIF", async () => gif(paints.reds), { width: 48, height: 32 }],
    ["AVIF", () => lossless("avif"), SIZE],
  ])("has the size declared in its file: %s", async (_, file, size) => {
    expect(await decode(await file())).toMatchObject({ kind: "image", ...size });
  });

  test("loses its transparency in every format", async () => {
    const colour = { r: 200, g: 100, b: 50, alpha: 0.25 };
    const translucent = sharp({ create: { ...SIZE, channels: 4, background: colour } });
    const files = [translucent.clone().png(), translucent.clone().webp({ lossless: true })];
    const expected = Buffer.from(new Array(SIZE.width * SIZE.height).fill([200, 100, 50]).flat());
    for (const file of files) {
      expect(await decode(await file.toBuffer())).toMatchObject({ pixels: expected });
    }
  });

  test("with several frames is decoded to the first one", async () => {
    const frames = Buffer.concat([pixels, Buffer.alloc(pixels.length)]);
    const animated = await sharp(frames, {
      raw: { ...raw, height: 2 * SIZE.height, pageHeight: SIZE.height },
    })
      .webp({ lossless: true })
      .toBuffer();
    expect(await sharp(animated).metadata()).toMatchObject({ pages: 2 });
    expect(await decode(animated)).toEqual({ kind: "image", ...SIZE, pixels });
  });
});

describe("audio", () => {
  test.each([
    ["WAV", wav({ hertz: 440, seconds: 0.1 }), 1600],
    ["FLAC", flac, 800],
    ["MP3", mp3, undefined],
  ])("is decoded to samples of one channel: %s", async (_, file, length) => {
    const decoded = await decode(file);
    expect(decoded.kind).toBe("audio");
    const { samples } = decoded as { samples: Float32Array };
    expect(samples.length).toBe(length ?? samples.length);
    expect(samples.some((sample) => Math.abs(sample) > 0.1)).toBe(true);
  });
});

describe("a file is rejected", () => {
  const onlyImages = { images: { maxPixels: 10_000 } };
  const onlyAudio = { audio: { sampleRate: 16_000, maxSeconds: 1 } };
  const large = sharp({ create: { width: 101, height: 100, channels: 3, background: "red" } });

  test.each<readonly [string, Buffer | (() => Promise<Buffer>), AcceptedMedia, string]>([
    [
      "if its format is unknown",
      Buffer.from("?"),
      ALL,
      "expected PNG, JPEG, GIF, BMP, WebP or AVIF, got a file of an unknown format",
    ],
    [
      "audio for a vision model",
      wav({ hertz: 9 }),
      onlyImages,
      "expected an image, got audio (wav)",
    ],
    [
      "an image for an audio model",
      picture,
      onlyAudio,
      "expected WAV, MP3 or FLAC, got an image (png)",
    ],
    [
      "a text for an audio model",
      Buffer.from("?"),
      onlyAudio,
      "expected WAV, MP3 or FLAC, got a file of an unknown format",
    ],
    [
      "if it has too many pixels, by llama.cpp's decoder",
      () => large.clone().png().toBuffer(),
      ALL,
      "expected at most 10000 pixels, got 101 x 100",
    ],
    [
      "if it has too many pixels, by libvips",
      () => large.clone().webp().toBuffer(),
      ALL,
      "expected at most 10000 pixels, got 101 x 100",
    ],
    [
      "if it is truncated, by llama.cpp's decoder",
      picture.subarray(0, 60),
      ALL,
      "expected an image, got a file that is broken or cut off",
    ],
    [
      "if its header is truncated",
      picture.subarray(0, 12),
      ALL,
      "expected an image, got a file whose header is broken or cut off",
    ],
    [
      "if it is audio that is too long",
      wav({ hertz: 440, seconds: 1.1 }),
      ALL,
      "expected at most 1 seconds, got more",
    ],
    [
      "if it is audio with a single sample",
      wavOf(samplesOf({ hertz: 440 }).subarray(0, 2)),
      ALL,
      "expected at least 2 samples at 16000 Hz, got 1",
    ],
    [
      "if it is audio without samples",
      wavOf(Buffer.alloc(0)),
      ALL,
      "expected at least 2 samples at 16000 Hz, got 0",
    ],
  ])("%s", async (_, file, accepted, reason) => {
    const bytes = typeof file === "function" ? await file() : file;
    await expect(decode(bytes, accepted)).rejects.toThrow(reason);
  });

  test("if it is truncated, by libvips", async () => {
    const webp = await lossless("webp");
    await expect(decode(webp.subarray(0, webp.length / 2))).rejects.toThrow(
      "expected an image, got a file that is broken or cut off (",
    );
  });
});
