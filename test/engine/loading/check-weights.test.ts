import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectFiniteWeights } from "../../../src/engine/loading/check-weights.js";
import type { GgufHeader } from "../../../src/engine/loading/gguf-header.js";
import { temporaryFolder } from "../cache/traced-pool.js";

interface Format {
  readonly typeId: number;
  readonly elements: number;
  readonly bytes: number;
}

const f32: Format = { typeId: 0, elements: 1, bytes: 4 };
const f16: Format = { typeId: 1, elements: 1, bytes: 2 };
const bf16: Format = { typeId: 30, elements: 1, bytes: 2 };
const q8: Format = { typeId: 8, elements: 32, bytes: 34 };
const q4k: Format = { typeId: 12, elements: 256, bytes: 144 };
const q6k: Format = { typeId: 14, elements: 256, bytes: 210 };

/** Checks a file with a tensor of zeros after a change; the bytes around its data are NaN. */
function check(
  { typeId, elements, bytes }: Format,
  blocks: number,
  change: (data: Buffer) => void,
) {
  const data = Buffer.alloc(blocks * bytes);
  change(data);
  const path = join(temporaryFolder(), "weights");
  const dataStart = 32;
  writeFileSync(path, Buffer.concat([Buffer.alloc(dataStart, 0xff), data, Buffer.alloc(7, 0xff)]));
  const tensor = { name: "w", shape: [elements, blocks], typeId, offset: 0 };
  const header: Pick<GgufHeader, "tensors" | "dataStart"> = {
    tensors: new Map([["w", tensor]]),
    dataStart,
  };
  return expectFiniteWeights(path, header, () => ({ elements, bytes }));
}

const half = (bits: number, at: number) => (data: Buffer) => void data.writeUInt16LE(bits, at);
const refusal = 'tensor "w": expected finite weights, got NaN or an infinity';

describe("weights", () => {
  test.each<[string, Format, number, (data: Buffer) => void]>([
    ["F32: NaN", f32, 5, (data) => void data.writeFloatLE(Number.NaN, 8)],
    ["F32: the last is an infinity", f32, 5, (data) => void data.writeFloatLE(-Infinity, 16)],
    [
      "F32: in a later piece of the file",
      f32,
      700_001,
      (data) => void data.writeFloatLE(Infinity, 2_800_000),
    ],
    ["F16: NaN", f16, 6, half(0x7e00, 4)],
    ["F16: NaN in the other half of a word", f16, 6, half(0x7c01, 6)],
    ["F16: an infinity", f16, 6, half(0xfc00, 2)],
    ["F16: the last of an odd number", f16, 7, half(0x7c00, 12)],
    ["BF16: NaN", bf16, 6, half(0xffc0, 4)],
    ["BF16: the last is an infinity", bf16, 7, half(0x7f80, 12)],
    ["Q8_0: a scale", q8, 3, half(0x7e00, 34)],
    ["Q8_0: a scale in a later piece of the file", q8, 90_000, half(0x7c00, 34 * 89_999)],
    ["Q4_K: a minimum", q4k, 2, half(0x7e00, 146)],
    ["Q6_K: the scale at the end of a block", q6k, 2, half(0xfc00, 418)],
  ])("that are not finite are rejected: %s", async (_, format, blocks, change) => {
    await expect(check(format, blocks, change)).rejects.toThrow(refusal);
  });

  const filled = (value: number) => (data: Buffer) => void data.fill(value);
  test.each<[string, Format, (data: Buffer) => void]>([
    ["the largest of F32", f32, (data) => void data.writeFloatLE(3.4028234663852886e38, 0)],
    ["the largest of F16", f16, half(0xfbff, 2)],
    ["the largest of BF16", bf16, half(0xff7f, 2)],
    ["any bits of F16 below infinity", f16, filled(0x7b)],
    ["weights of Q8_0 with the bits of NaN", q8, (data) => void data.fill(0xff, 2, 34)],
    ["weights of Q6_K with the bits of NaN", q6k, (data) => void data.fill(0xff, 0, 208)],
  ])("are accepted if they are %s", async (_, format, change) => {
    await check(format, 4, change);
  });

  test("of a type with an unknown number format are rejected", async () => {
    await expect(check({ typeId: 28, elements: 1, bytes: 8 }, 1, () => {})).rejects.toThrow(
      'tensor "w": expected F32, F16, BF16 or a quantised type with F16 scales, got type 28',
    );
  });
});
