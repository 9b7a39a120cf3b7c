import { expect, it, test } from "vitest";
import { readWavDuration } from "../../../../src/api/openai/audio/wav-duration.js";
import { wav } from "./wav.js";

test.each([
  ["as its header says", wav({ seconds: 2 }), 2],
  ["with another chunk before its samples", wav({ seconds: 2, chunkBytes: 7 }), 2],
  ["of a stream, whose length nobody knew", wav({ seconds: 3, toldBytes: 0xff_ff_ff_ff }), 3],
  ["without samples", wav({ seconds: 0 }), 0],
])("the duration follows from the samples in the file: %s", (_what, file, seconds) => {
  expect(readWavDuration(file)).toBe(seconds);
});

const file = wav({ seconds: 1 });

test.each([
  ["nothing", Buffer.alloc(0)],
  ["another format", Buffer.from("ID3\u0004 and so on, and so on")],
  ["another format in the same container", Buffer.from("RIFF\0\0\0\0AVI LIST")],
  ["no samples", file.subarray(0, 36)],
  ["no format before the samples", Buffer.concat([file.subarray(0, 12), file.subarray(36)])],
  ["no bytes per second", wav({ seconds: 0, bytesPerSecond: 0 })],
])("a file without a declared length has no duration: %s", (_what, bytes) => {
  expect(readWavDuration(bytes)).toBeUndefined();
});

it("is read of a view in a larger buffer", () => {
  const larger = Buffer.concat([Buffer.alloc(5), file]);
  expect(readWavDuration(new Uint8Array(larger.buffer, larger.byteOffset + 5, file.length))).toBe(
    1,
  );
});
