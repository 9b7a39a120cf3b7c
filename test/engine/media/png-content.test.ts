import { deflateRawSync, deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { isPngContentAsLarge } from "../../../src/engine/media/png-content.js";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const MAX_PIXELS = 1_000_000;

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, "latin1"), data, Buffer.alloc(4)]);
}

function header(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return chunk("IHDR", data);
}

/** A PNG of that size, whose content comes in some chunks. */
function png(width: number, height: number, contents: readonly Buffer[]): Buffer {
  const chunks = contents.map((content) => chunk("IDAT", content));
  return Buffer.concat([
    SIGNATURE,
    header(width, height),
    ...chunks,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes));
/** Four channels of 16 bits, and a byte before each row. */
const largestContent = (width: number, height: number) => height * (1 + 8 * width);

describe("a PNG with as much content as it says", () => {
  test.each([
    ["of three channels", png(20, 10, [zeros(10 * (1 + 3 * 20))])],
    ["of four channels of 16 bits", png(20, 10, [zeros(largestContent(20, 10))])],
    ["with less of it", png(20, 10, [zeros(5)])],
    ["in several chunks", png(20, 10, [zeros(610).subarray(0, 5), zeros(610).subarray(5)])],
    ["of one pixel", png(1, 1, [zeros(4)])],
  ])("is one %s", async (_, file) => {
    expect(await isPngContentAsLarge(file, MAX_PIXELS)).toBe(true);
    // Where it stands in a larger buffer.
    const within = Buffer.concat([Buffer.alloc(3), file, Buffer.alloc(3)]);
    expect(await isPngContentAsLarge(within.subarray(3, -3), MAX_PIXELS)).toBe(true);
  });
});

describe("a PNG with more content than it says", () => {
  const bomb = zeros(2 ** 24);
  test.each([
    ["in one chunk", png(20, 10, [bomb])],
    ["in two chunks", png(20, 10, [bomb.subarray(0, 1000), bomb.subarray(1000)])],
    ["of a size of nothing", png(0, 0, [bomb])],
    ["that is cut off", png(20, 10, [bomb.subarray(0, -100)])],
    [
      "whose checksum is wrong",
      png(20, 10, [Buffer.concat([bomb.subarray(0, -4), Buffer.alloc(4)])]),
    ],
    [
      "whose header the decoder does not read to its end",
      png(20, 10, [Buffer.concat([Buffer.from([0x88, 0x1c]), bomb.subarray(2)])]),
    ],
    [
      "of Apple's",
      Buffer.concat([
        ...[SIGNATURE, chunk("CgBI", Buffer.alloc(4)), header(20, 10)],
        chunk("IDAT", deflateRawSync(Buffer.alloc(2 ** 24))),
      ]),
    ],
  ])("is one %s", async (_, file) => {
    expect(await isPngContentAsLarge(file, MAX_PIXELS)).toBe(false);
  });
});

describe("what the decoder refuses by itself", () => {
  test.each([
    ["nothing", Buffer.alloc(0)],
    ["a JPEG", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
    ["a signature alone", SIGNATURE],
    ["a PNG without a header", Buffer.concat([SIGNATURE, chunk("IDAT", zeros(2 ** 20))])],
    ["a chunk that is longer than the file", png(20, 10, [zeros(600)]).subarray(0, 45)],
    ["content that is none", png(20, 10, [Buffer.from("no deflate stream at all")])],
    ["a PNG without content", png(20, 10, [])],
    ["an image of too many pixels", png(2000, 2000, [zeros(2 ** 20)])],
    [
      "an image of more pixels than a number has bits for",
      png(2 ** 32 - 1, 2 ** 32 - 1, [zeros(4)]),
    ],
  ])("is left to it: %s", async (_, file) => {
    expect(await isPngContentAsLarge(file, MAX_PIXELS)).toBe(true);
  });
});
