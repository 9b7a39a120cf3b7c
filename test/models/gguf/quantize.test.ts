import { describe, expect, it } from "vitest";
import { fromFloat16Bits, toFloat16Bits } from "../../../models/gguf/float16.js";
import { decodeRows, encodeRows, fromQ8_0, toQ8_0 } from "../../../models/gguf/quantize.js";
import { RandomStream } from "../../../models/random/random-stream.js";

/** A block with a maximum magnitude of 127, so that its scale is exactly 1. */
function unitScaleBlock(...values: number[]): Float32Array {
  const block = new Float32Array(32);
  block.set([127, ...values]);
  return block;
}

function toSigned(bytes: Uint8Array): number[] {
  return [...new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)];
}

describe("q8_0", () => {
  it("stores a block as a half-precision scale and 32 signed bytes", () => {
    const bytes = toQ8_0(unitScaleBlock(-127, 1, -2));
    expect(bytes.length).toBe(34);
    expect([...bytes.subarray(0, 2)]).toEqual([0x00, 0x3c]);
    expect(toSigned(bytes.subarray(2, 7))).toEqual([127, -127, 1, -2, 0]);
  });

  it("rounds halves away from zero", () => {
    const bytes = toQ8_0(unitScaleBlock(0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997, -0.49999997));
    expect(toSigned(bytes.subarray(3, 11))).toEqual([1, -1, 2, -2, 3, -3, 0, 0]);
  });

  it("divides by the unrounded scale and stores the rounded one", () => {
    const block = new Float32Array(32).fill(0.1);
    block[1] = -0.05;
    const bytes = toQ8_0(block);
    const storedScale = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8);
    // 0.1 / 127 = 0.00078740157…; its nearest half is 1651 * 2^-21.
    expect(fromFloat16Bits(storedScale)).toBe(1651 * 2 ** -21);
    expect(toSigned(bytes.subarray(2, 5))).toEqual([127, -64, 127]);
  });

  it("stores a block of zeros as zeros", () => {
    expect(toQ8_0(new Float32Array(32)).every((byte) => byte === 0)).toBe(true);
  });

  it("has an error of at most half a step, plus the rounding of the scale", () => {
    const values = new Float32Array(32 * 256);
    new RandomStream(7).fillGaussian(values, 0.02);
    const restored = fromQ8_0(toQ8_0(values));
    for (let start = 0; start < values.length; start += 32) {
      const block = values.subarray(start, start + 32);
      const maxMagnitude = Math.max(...block.map(Math.abs));
      const maxError = maxMagnitude / 127 / 2 + maxMagnitude * 2 ** -11;
      block.forEach((value, index) => {
        expect(Math.abs((restored[start + index] ?? NaN) - value)).toBeLessThanOrEqual(maxError);
      });
    }
  });

  it("is idempotent", () => {
    const values = new Float32Array(32 * 64);
    new RandomStream(8).fillGaussian(values, 1);
    const once = fromQ8_0(toQ8_0(values));
    const twice = fromQ8_0(toQ8_0(once));
    expect(Math.max(...once.map((value, index) => Math.abs(value - (twice[index] ?? NaN))))).toBe(
      0,
    );
  });
});

describe("f16", () => {
  it.each([
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65519.99, 0x7bff],
    [65520, 0x7c00],
    [1e9, 0x7c00],
    [-Infinity, 0xfc00],
    [2 ** -14, 0x0400],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [2 ** -25 * 1.0001, 0x0001],
    [3 * 2 ** -25, 0x0002],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [1 + 2 ** -11 + 2 ** -20, 0x3c01],
  ])("rounds %d to the half with the bits %d, ties to even", (value, bits) => {
    expect(toFloat16Bits(value)).toBe(bits);
  });

  it("round-trips every half that is a number", () => {
    const halves = Array.from({ length: 0x1_0000 }, (_, bits) => bits).filter(
      (bits) => !Number.isNaN(fromFloat16Bits(bits)),
    );
    expect(halves.filter((bits) => toFloat16Bits(fromFloat16Bits(bits)) !== bits)).toEqual([]);
  });

  it("preserves NaN", () => {
    expect(fromFloat16Bits(toFloat16Bits(NaN))).toBeNaN();
  });
});

describe.each(["f32", "f16", "q8_0"] as const)("rows of %s", (type) => {
  it("round-trip representable values", () => {
    const values = new Float32Array(64).map((_, index) => (index % 32 === 0 ? 127 : index - 40));
    expect([...decodeRows(type, encodeRows(type, values))]).toEqual([...values]);
  });
});
