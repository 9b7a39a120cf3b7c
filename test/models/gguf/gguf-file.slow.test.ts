import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../models/command-line/input-error.js";
import type { GgufContent, GgufTensor } from "../../../models/gguf/content.js";
import {
  bool,
  f32,
  f32s,
  i32s,
  type Metadata,
  type MetadataValue,
  text,
  texts,
  u32,
} from "../../../models/gguf/metadata.js";
import { readGguf } from "../../../models/gguf/reader.js";
import type { TensorType } from "../../../models/gguf/tensor-types.js";
import { writeGguf } from "../../../models/gguf/writer.js";
import { temporaryFolder } from "../temporary-folder.js";
import { valuesOf } from "./tensor-values.js";

const folder = temporaryFolder();

function tensor(name: string, type: TensorType, rowCount: number): GgufTensor {
  // Multiples of 127 are exact in every type, including q8_0.
  const row = (index: number) => new Float32Array(32).fill(127 * index);
  return {
    name,
    type,
    shape: [32, rowCount],
    rows: () => Array.from({ length: rowCount }, (_, index) => row(index)),
  };
}

function content(...tensors: GgufTensor[]): GgufContent {
  return { metadata: new Map(), tensors };
}

function withMetadata(key: string, value: MetadataValue): GgufContent {
  return { metadata: new Map([[key, value]]), tensors: [] };
}

function write(name: string, file: GgufContent): string {
  const path = join(folder, name);
  writeGguf(path, file);
  return path;
}

const everyKind: Metadata = new Map<string, MetadataValue>([
  ["a.count", u32(4_294_967_295)],
  ["a.ratio", f32(0.5)],
  ["a.flag", bool(true)],
  ["a.name", text("naïve 日本 🚀")],
  ["a.names", texts(["", "é", "x"])],
  ["a.types", i32s([-1, 0, 2_147_483_647])],
  ["a.scores", f32s([-1.5, 0])],
  ["a.flags", { type: "array", element: "bool", values: [true, false] }],
  ["a.byte", { type: "u8", value: 255 }],
  ["a.large", { type: "u64", value: 2 ** 40 }],
  ["a.negative", { type: "i64", value: -(2 ** 40) }],
  ["a.precise", { type: "f64", value: Math.PI }],
  ["a.empty", texts([])],
]);

describe("a GGUF file", () => {
  it("starts with the magic, version 3 and the two counts", () => {
    const bytes = readFileSync(write("header.gguf", content(tensor("t", "f32", 1))));
    expect(bytes.toString("latin1", 0, 4)).toBe("GGUF");
    expect(bytes.readUInt32LE(4)).toBe(3);
    expect(bytes.readBigUInt64LE(8)).toBe(1n);
    expect(bytes.readBigUInt64LE(16)).toBe(0n);
  });

  it("round-trips every kind of metadata in order", () => {
    const path = write("metadata.gguf", { metadata: everyKind, tensors: [] });
    expect([...readGguf(path).metadata]).toEqual([...everyKind]);
  });

  it("round-trips metadata that is larger than any buffer", () => {
    const tokens = Array.from({ length: 300_000 }, (_, index) => `token-${index}`);
    const path = write("large.gguf", withMetadata("tokens", texts(tokens)));
    expect(readGguf(path).metadata.get("tokens")).toEqual(texts(tokens));
  });

  it("round-trips tensors of every type with their names, shapes and values", () => {
    const written = [tensor("a", "f32", 3), tensor("b", "f16", 5), tensor("c", "q8_0", 7)];
    const read = readGguf(write("tensors.gguf", content(...written))).tensors;
    expect(read.map(({ name, type, shape }) => ({ name, type, shape }))).toEqual([
      { name: "a", type: "f32", shape: [32, 3] },
      { name: "b", type: "f16", shape: [32, 5] },
      { name: "c", type: "q8_0", shape: [32, 7] },
    ]);
    expect(read.map(valuesOf)).toEqual(written.map(valuesOf));
  });

  it("aligns each tensor to 32 bytes", () => {
    const odd: GgufTensor = {
      name: "odd",
      type: "f32",
      shape: [3],
      rows: () => [Float32Array.of(1, 2, 3)],
    };
    const path = write("aligned.gguf", content(odd, { ...odd, name: "odd too" }));
    expect(readFileSync(path).length % 32).toBe(0);
    expect(readGguf(path).tensors.map(valuesOf)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it("is byte-for-byte reproducible", () => {
    const file = { metadata: everyKind, tensors: [tensor("a", "q8_0", 9)] };
    const digests = ["one.gguf", "two.gguf"].map((name) =>
      createHash("sha256")
        .update(readFileSync(write(name, file)))
        .digest("hex"),
    );
    expect(digests[0]).toBe(digests[1]);
  });

  it("reports progress up to the last byte", () => {
    const progress: number[] = [];
    const path = join(folder, "progress.gguf");
    writeGguf(path, content(tensor("a", "f32", 4)), ({ writtenBytes, totalBytes }) => {
      progress.push(writtenBytes / totalBytes);
    });
    expect(progress).toEqual([0.25, 0.5, 0.75, 1]);
  });
});

describe("writing rejects", () => {
  const wide: GgufTensor = { ...tensor("wide", "q8_0", 1), shape: [40], rows: () => [] };
  it.each<[string, GgufContent, string]>([
    ["a negative count", withMetadata("k", u32(-1)), "metadata k: expected an integer from 0"],
    ["a fractional count", withMetadata("k", u32(1.5)), "(u32), got 1.5"],
    [
      "a general.alignment entry",
      withMetadata("general.alignment", u32(64)),
      "metadata general.alignment",
    ],
    [
      "two tensors of the same name",
      content(tensor("t", "f32", 1), tensor("t", "f32", 1)),
      "tensor t",
    ],
    ["an empty shape", content({ ...tensor("t", "f32", 1), shape: [] }), "expected 1 to 4 lengths"],
    ["a length of zero", content({ ...tensor("t", "f32", 1), shape: [0] }), "got [0]"],
    ["rows with incomplete blocks", content(wide), "multiple of 32 elements for q8_0, got 40"],
    [
      "too few values",
      content({ ...tensor("t", "f32", 1), shape: [32, 2] }),
      "tensor t: expected 64 elements, got 32",
    ],
    [
      "incomplete rows",
      content({ ...tensor("t", "f32", 1), rows: () => [new Float32Array(31)] }),
      "expected whole rows of 32 elements, got a chunk of 31",
    ],
  ])("%s", (_, file, message) => {
    const path = join(folder, "refused.gguf");
    expect(() => writeGguf(path, file)).toThrow(InputError);
    expect(() => writeGguf(path, file)).toThrow(message);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });
});

describe("reading rejects", () => {
  it("a file that is not GGUF", () => {
    const path = join(folder, "text.gguf");
    writeFileSync(path, "hello there");
    expect(() => readGguf(path)).toThrow('magic: expected GGUF, got "hell"');
  });

  it("an unsupported version", () => {
    const path = join(folder, "old.gguf");
    writeFileSync(path, Buffer.from("GGUF\x02\0\0\0", "latin1"));
    expect(() => readGguf(path)).toThrow("version: expected 3, got 2");
  });

  it("a truncated header", () => {
    const path = write("truncated.gguf", { metadata: everyKind, tensors: [] });
    truncateSync(path, 100);
    expect(() => readGguf(path)).toThrow(/expected \d+ bytes at offset \d+, the file has \d+ left/);
  });

  it("truncated tensor data", () => {
    const path = write("truncated-data.gguf", content(tensor("t", "f32", 100)));
    truncateSync(path, 5000);
    const [truncated] = readGguf(path).tensors;
    expect(() => truncated && valuesOf(truncated)).toThrow("bytes of tensor t: expected 12800");
  });
});
