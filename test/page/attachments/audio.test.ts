import { describe, expect, it } from "vitest";
import { detectFormat } from "../../../src/page/attachments/read-audio.js";
import { formatSeconds } from "../../../src/page/attachments/seconds.js";
import { encodeWav, SAMPLE_RATE } from "../../../src/page/attachments/wav.js";

describe("a WAV file", () => {
  it("has 16 bits, 16 kHz and one channel", () => {
    const file = encodeWav([Float32Array.of(0, 1, -1, 2), Float32Array.of(0, 1, -1, 2)]);
    const view = new DataView(file.buffer);
    expect(new TextDecoder().decode(file.subarray(0, 4))).toBe("RIFF");
    expect(new TextDecoder().decode(file.subarray(8, 16))).toBe("WAVEfmt ");
    expect(view.getUint32(4, true)).toBe(file.length - 8);
    expect([view.getUint16(20, true), view.getUint16(22, true)]).toEqual([1, 1]);
    expect(view.getUint32(24, true)).toBe(SAMPLE_RATE);
    expect(view.getUint32(40, true)).toBe(8);
    const samples = [0, 1, 2, 3].map((index) => view.getInt16(44 + 2 * index, true));
    expect(samples).toEqual([0, 32767, -32767, 32767]);
    expect(detectFormat(file)).toBe("wav");
  });

  it("averages the channels", () => {
    const view = new DataView(encodeWav([Float32Array.of(1), Float32Array.of(0)]).buffer);
    expect(view.getInt16(44, true)).toBe(16384);
  });
});

describe("the format of audio", () => {
  const ascii = (text: string) => new TextEncoder().encode(text);
  it.each([
    [ascii("RIFF....WAVE"), "wav"],
    [ascii("RIFF....AVI "), undefined],
    [ascii("fLaC"), "flac"],
    [ascii("ID3\x04"), "mp3"],
    [Uint8Array.of(0xff, 0xfb), "mp3"],
    [Uint8Array.of(0xff, 0xfe), undefined],
    [ascii("OggS"), undefined],
    [ascii("a text"), undefined],
    [Uint8Array.of(), undefined],
  ])("%s", (bytes, format) => {
    expect(detectFormat(bytes)).toBe(format);
  });
});

it.each([
  [0, "0:00"],
  [65.9, "1:05"],
  [600, "10:00"],
])("%f seconds are shown as %s", (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});
