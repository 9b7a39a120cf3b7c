import { expect, it, test } from "vitest";
import { readWavDuration } from "../../../../src/api/openai/audio/wav-duration.js";
import { wav } from "./wav.js";

test.each([
  ["with a regular header", wav({ seconds: 2 }), 2],
  ["with another chunk before the samples", wav({ seconds: 2, chunkBytes: 7 }), 2],
  ["of a stream with unknown length", wav({ seconds: 3, toldBytes: 0xff_ff_ff_ff }), 3],
  ["without samples", wav({ seconds: 0 }), 0],
])("readWavDuration returns the duration of a WAV file %s", (_what, file, seconds) => {
  expect(readWavDuration(file)).toBe(seconds);
});

const file = wav({ seconds: 1 });

test.each([
  ["an empty file", Buffer.alloc(0)],
  ["a file in another format", Buffer.from("ID3\u0004 and so on, and so on")],
  ["another format in a RIFF container", Buffer.from("RIFF\0\0\0\0AVI LIST")],
  ["a file without samples", file.subarray(0, 36)],
  ["a file without a format chunk", Buffer.concat([file.subarray(0, 12), file.subarray(36)])],
  ["a byte rate of 0", wav({ seconds: 0, bytesPerSecond: 0 })],
])("readWavDuration returns undefined for %s", (_what, bytes) => {
  expect(readWavDuration(bytes)).toBeUndefined();
});

it("readWavDuration reads a view into a larger buffer", () => {
  const larger = Buffer.concat([Buffer.alloc(5), file]);
  expect(readWavDuration(new Uint8Array(larger.buffer, larger.byteOffset + 5, file.length))).toBe(
    1,
  );
});
