import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jpeg, mp3 } from "../support/encoded-media.js";
import { serveMedia } from "../support/media-engine.js";
import {
  bmp,
  floatWav,
  gif,
  paints,
  png,
  pngOf,
  samplesOf,
  wav,
  wavOf,
} from "../support/media-files.js";
import { audioPart, imagePart, post, textPart, userSays } from "../support/media-requests.js";
import type { RunningApp } from "../support/running-app.js";

const image = png(paints.reds);
const sound = wav({ hertz: 440, seconds: 0.1 });
const half = (file: Buffer) => file.subarray(0, file.length / 2);

/** Rows of zeros, which compress to a thousandth of their size. */
const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes));

/** A BMP with a different size in its header. */
function bmpOf(width: number, height: number): Buffer {
  const file = bmp(paints.reds);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  return file;
}

const IMAGES: readonly (readonly [string, Buffer])[] = [
  ["text", Buffer.from("This is no image at all.")],
  ["one byte", Buffer.from([0x89])],
  ["the beginning of a PNG", image.subarray(0, 8)],
  ["a truncated PNG", half(image)],
  ["a PNG of 100000 by 100000 pixels", pngOf({ width: 100_000, height: 100_000 }, zeros(1000))],
  ["a PNG with more pixels than allowed", pngOf({ width: 1500, height: 1000 }, zeros(4.5e6))],
  ["a PNG without pixels", pngOf({ width: 0, height: 0 }, zeros(0))],
  ["a PNG that is 2³¹ pixels wide", pngOf({ width: 2 ** 31, height: 1 }, zeros(1000))],
  ["a PNG with less data than declared", pngOf({ width: 90, height: 90 }, zeros(90))],
  ["a PNG with uncompressed data", pngOf({ width: 9, height: 9 }, Buffer.alloc(252))],
  ["the beginning of a JPEG", jpeg.subarray(0, 20)],
  ["a truncated GIF", gif(paints.reds).subarray(0, 200)],
  ["a BMP of 60000 by 60000 pixels", bmpOf(60_000, 60_000)],
  ["a BMP with a negative width", bmpOf(-5, 5)],
  ["audio", sound],
];

const SOUNDS: readonly (readonly [string, Buffer])[] = [
  ["text", Buffer.from("This is no sound at all.")],
  ["the beginning of a WAV file", sound.subarray(0, 12)],
  ["a WAV file without samples", wavOf(Buffer.alloc(0))],
  ["a WAV file of one sample", wavOf(Buffer.alloc(2))],
  ["a WAV file that is longer than allowed", wav({ hertz: 100, seconds: 2 })],
  ["samples that are NaN", floatWav(new Float32Array(800).fill(Number.NaN))],
  ["infinite samples", floatWav(new Float32Array(800).fill(Number.POSITIVE_INFINITY))],
  ["samples with infinite squares", floatWav(new Float32Array(800).fill(1e30))],
  ["the beginning of an MP3", mp3.subarray(0, 30)],
  ["the beginning of a FLAC", Buffer.from("fLaC\0\0\0\x22", "latin1")],
  ["an image", image],
];

let seeing: RunningApp;
let hearing: RunningApp;
beforeAll(async () => {
  seeing = await serveMedia("pixtral-projector-tiny", { slots: 1 });
  hearing = await serveMedia("whisper-projector-tiny", { slots: 1 }, { maxSeconds: 1 });
});
afterAll(() => Promise.all([seeing.close(), hearing.close()]));

interface Refused {
  readonly error?: { readonly message: string; readonly param: string };
}

async function outcomeOf({ url }: RunningApp, part: object) {
  const messages = [userSays(textPart("What is it?"), part)];
  const response = await post(url, "/v1/chat/completions", { messages, max_tokens: 1 });
  const { error } = (await response.json()) as Refused;
  return { status: response.status, ...error };
}

function expectRefusal(outcome: Awaited<ReturnType<typeof outcomeOf>>, field: string): void {
  expect(outcome).toMatchObject({ status: 400, param: field });
  expect(outcome.message).toMatch(/^\S+: expected [^\n]+\.$/);
}

describe("image validation", () => {
  const field = "messages.0.content.1.image_url.url";

  it.each(IMAGES)("rejects %s", async (_, file) => {
    expectRefusal(await outcomeOf(seeing, imagePart(file)), field);
  });

  it("rejects an empty file", async () => {
    expectRefusal(await outcomeOf(seeing, imagePart(Buffer.alloc(0))), field);
  });

  it("accepts a PNG with surplus pixel data", async () => {
    const file = pngOf({ width: 9, height: 9 }, zeros(2e7));
    expect(await outcomeOf(seeing, imagePart(file))).toMatchObject({ status: 200 });
  });

  it("accepts a valid image after rejected ones", async () => {
    expect(await outcomeOf(seeing, imagePart(image))).toMatchObject({ status: 200 });
  });
});

describe("audio validation", () => {
  it.each(SOUNDS)("rejects %s", async (_, file) => {
    expectRefusal(
      await outcomeOf(hearing, audioPart(file)),
      "messages.0.content.1.input_audio.data",
    );
  });

  it("accepts a streamed WAV file that declares a greater length", async () => {
    const samples = samplesOf({ hertz: 440, seconds: 0.1 });
    for (const told of [0xffff_ffff, samples.length * 2, samples.length - 100]) {
      const outcome = await outcomeOf(hearing, audioPart(wavOf(samples, told)));
      expect(outcome).toMatchObject({ status: 200 });
    }
  });
});

describe("images of unusual sizes", () => {
  it.each(["gemma3-projector-tiny", "qwen25vl-projector-tiny", "pixtral-projector-tiny"] as const)(
    "are answered or rejected, without a crash: %s",
    async (shape) => {
      const server = await serveMedia(shape, { slots: 1 });
      for (const [width, height] of [
        [1, 1],
        [1, 3000],
        [3000, 1],
        [999, 1000],
      ] as const) {
        const file = pngOf({ width, height }, zeros(height * (1 + 3 * width)));
        const outcome = await outcomeOf(server, imagePart(file));
        expect([200, 400], `${width} by ${height}: ${outcome.message}`).toContain(outcome.status);
      }
      expect(await outcomeOf(server, imagePart(image))).toMatchObject({ status: 200 });
      await server.close();
    },
  );
});
