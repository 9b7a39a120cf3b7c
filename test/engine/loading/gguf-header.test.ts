import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { encodeHeader, type TensorHeader } from "../../../models/gguf/header.js";
import { bool, type MetadataValue, text, texts, u32 } from "../../../models/gguf/metadata.js";
import { type GgufHeader, readGgufHeader } from "../../../src/engine/loading/gguf-header.js";
import { type ByteSource, MalformedFileError } from "../../../src/engine/loading/header-reader.js";
import { checkHyperparameters } from "../../../src/engine/loading/hyperparameters.js";
import { fieldsOf, mutationsOf } from "../../support/mutated-gguf.js";
import { tinyModel } from "../../support/random-models.js";
import { tensorBlocks } from "../../support/tensor-blocks.js";

/** A byte source that counts reads and bytes, and rejects reads outside its range. */
class CountedBytes implements ByteSource {
  readonly #bytes: Buffer;
  readonly sizeBytes: number;
  largestRead = 0;
  bytesRead = 0;

  constructor(bytes: Buffer, sizeBytes = bytes.length) {
    this.#bytes = bytes;
    this.sizeBytes = sizeBytes;
  }

  read(offset: number, length: number): Buffer {
    if (offset + length > this.sizeBytes) throw new Error("read beyond the end");
    this.bytesRead += length;
    this.largestRead = Math.max(this.largestRead, length);
    const bytes = Buffer.alloc(length);
    this.#bytes.copy(bytes, 0, offset);
    return bytes;
  }
}

const read = (file: Buffer, sizeBytes?: number): GgufHeader =>
  readGgufHeader(new CountedBytes(file, sizeBytes), tensorBlocks);

const weight: TensorHeader = { name: "w", shape: [32, 2], typeId: 0, dataBytes: 256 };

/** A small valid file with the given entries and tensors. */
function fileWith(
  entries: readonly (readonly [string, MetadataValue])[],
  tensors: readonly TensorHeader[] = [weight],
): Buffer {
  const header = encodeHeader(new Map(entries), tensors);
  const dataBytes = tensors.reduce((sum, tensor) => sum + tensor.dataBytes, 0);
  return Buffer.concat([header, Buffer.alloc(dataBytes)]);
}

/** A valid file with a number written over one of its fields. */
function withField(of: string, kind: string, value: bigint): Buffer {
  const file = fileWith([
    ["general.architecture", text("llama")],
    ["tokenizer.ggml.tokens", texts(["a", "b"])],
    ["llama.block_count", u32(2)],
  ]);
  const field = fieldsOf(file).fields.find((field) => field.of === of && field.kind === kind);
  if (field === undefined) throw new Error(`no ${kind} of ${of}`);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  bytes.copy(file, field.at, 0, field.bytes);
  return file;
}

describe("a valid header", () => {
  test("is read with the required values and the names of tensors", () => {
    const { metadata, tensors } = read(
      fileWith([
        ["general.architecture", text("llama")],
        ["tokenizer.ggml.tokens", texts(["a", "b"])],
        ["llama.block_count", u32(2)],
        ["general.description", text("long ".repeat(100))],
      ]),
    );
    expect(Object.fromEntries(metadata)).toEqual({
      "general.architecture": { type: "string", text: "llama" },
      "tokenizer.ggml.tokens": { type: "array", element: "string", length: 2 },
      "llama.block_count": { type: "u32", value: 2 },
      "general.description": { type: "string", text: undefined },
    });
    expect([...tensors.keys()]).toEqual(["w"]);
  });

  test.each([
    "tiny",
    "cohere2-tiny",
    "mamba-tiny",
    "jamba-tiny",
    "moe-tiny",
    "embed-tiny",
  ] as const)("of a %s model passes all checks", (shape) => {
    expect(() => checkHyperparameters(read(readFileSync(tinyModel("q8_0", shape))))).not.toThrow();
  });
});

describe("a header is rejected with the position, the expected and the received value", () => {
  test.each([
    ["the format", "version", 1n, "the version of the format: expected 2 or 3, got 1"],
    ["tensors", "count", 2n ** 63n, /^the number of tensors: expected at most \d+, got 92233/],
    [
      "keys",
      "count",
      0xffff_ffffn,
      /^the number of metadata keys: expected at most \d+, got 4294967295/,
    ],
    ["keys", "count", 4n, /^the name of tensor 1 of 1: expected a length/],
    ["key 0", "length", 0n, "metadata key 1 of 3: expected a length of 1 to 1024 bytes, got 0"],
    ["key 0", "length", 0x7fff_ffffn, /expected a length of 1 to 1024 bytes, got 2147483647/],
    [
      "general.architecture",
      "type",
      13n,
      'metadata "general.architecture": expected a type from 0 to 12, got 13',
    ],
    [
      "general.architecture",
      "length",
      0x7fff_ffffn,
      /"general.architecture": expected 2147483647 bytes at \d+, got \d+ up to the end of the file: it is incomplete/,
    ],
    [
      "tokenizer.ggml.tokens",
      "count",
      2n ** 40n,
      'metadata "tokenizer.ggml.tokens": expected an array of at most 4194304 elements, got 1099511627776',
    ],
    ["elements of tokenizer.ggml.tokens", "type", 9n, /expected no array within an array/],
    ["elements of tokenizer.ggml.tokens", "type", 7n, /^metadata key 3 of 3: expected a length/],
    ["w", "dimensions", 0xffff_ffffn, 'tensor "w": expected at most 4 dimensions, got 4294967295'],
    ["w", "length", 2n ** 63n, 'tensor "w": expected lengths below 2^53, got 9223372036854776000'],
    ["w", "length", 2n ** 50n, /tensor "w": expected data of at most \d+ bytes/],
    ["w", "type", 99n, 'tensor "w": expected a type that llama.cpp knows, got 99'],
    ["w", "offset", 32n, 'tensor "w": expected an offset of 0, got 32'],
  ] as const)("if the %s's %s is %d", (of, kind, value, message) => {
    const refusal = () => read(withField(of, kind, value));
    expect(refusal).toThrow(MalformedFileError);
    expect(refusal).toThrow(message);
  });

  test.each([
    [
      "an alignment of 33",
      [["general.alignment", u32(33)]],
      [weight],
      /"general.alignment": expected a power of 2 \(u32\), got 33 \(u32\)/,
    ],
    ["an alignment of 0", [["general.alignment", u32(0)]], [weight], /expected a power of 2/],
    ["a text for the alignment", [["general.alignment", text("32")]], [weight], /got "32"/],
    [
      "rows of half a block",
      [],
      [{ ...weight, typeId: 8, shape: [33] }],
      /rows of a multiple of 32 elements \(type 8\), got 33/,
    ],
    ["two tensors of one name", [], [weight, weight], /"w" twice/],
    [
      "a control character in a name",
      [["a\u0000b", u32(1)]],
      [weight],
      /a name without control characters, got "a\\u0000b"/,
    ],
  ] as const)("if it has %s", (_, entries, tensors, message) => {
    expect(() => read(fileWith(entries, tensors))).toThrow(message);
  });

  test.each([
    ["its beginning", (name: string) => Buffer.from(name.padEnd(4), "latin1")],
    ["a name", (name: string) => fileWith([], [{ ...weight, name }])],
    ["its architecture's name", (name: string) => fileWith([["general.alignment", text(name)]])],
  ])("if terminal control characters occur in %s, which are escaped in the error", (_, fileOf) => {
    expect(() => read(fileOf("\u009b2J"))).toThrow('"\\u009b2J');
  });

  test("if a bool is neither 0 nor 1", () => {
    const file = fileWith([["llama.causal", bool(true)]]);
    file.writeUInt8(2, fieldsOf(file).fields.find(({ kind }) => kind === "value")?.at ?? 0);
    expect(() => read(file)).toThrow('metadata "llama.causal": expected 0 or 1 for a bool, got 2');
  });

  test("if a key occurs twice", () => {
    const file = fileWith([
      ["llama.one", u32(1)],
      ["llama.two", u32(2)],
    ]);
    file.write("one", file.indexOf("two"));
    expect(() => read(file)).toThrow(
      'metadata key 2 of 2: expected a unique key, got "llama.one" twice',
    );
  });

  test("if the data at its end is missing", () => {
    const file = fileWith([]);
    expect(() => read(file.subarray(0, -1))).toThrow(
      `expected a file of at least ${file.length} bytes, got ${file.length - 1}: it is incomplete`,
    );
  });

  test("if the file is truncated while it is read", () => {
    const shrunk: ByteSource = { sizeBytes: 4096, read: () => Buffer.alloc(2) };
    expect(() => readGgufHeader(shrunk, tensorBlocks)).toThrow(
      "the file was truncated while it was read",
    );
  });
});

describe("a mutated header", () => {
  const sound = readFileSync(tinyModel());
  const mutations = mutationsOf(sound, 500, 37);

  test("is generated in 500 different ways that cover all kinds", () => {
    expect(new Set(mutations.map(({ file }) => file.toString("latin1"))).size).toBeGreaterThan(400);
    for (const kind of [
      "version",
      "count",
      "length",
      "type",
      "value",
      "dimensions",
      "offset",
      "first",
      "random",
    ]) {
      expect(
        mutations.some(({ name }) => name.includes(kind)),
        kind,
      ).toBe(true);
    }
  });

  test("is accepted or rejected with a one-line error, within the limits of bytes read and held", () => {
    let refused = 0;
    for (const { name, file } of mutations) {
      const source = new CountedBytes(file);
      try {
        checkHyperparameters(readGgufHeader(source, tensorBlocks));
      } catch (error) {
        expect(error, name).toBeInstanceOf(MalformedFileError);
        expect(String(error), name).toMatch(/^MalformedFileError: [ -~…×]{10,300}$/u);
        refused++;
      }
      expect(source.largestRead, name).toBeLessThanOrEqual(64 * 1024);
      // Each window is read once, and again if a value crosses its end.
      expect(source.bytesRead, name).toBeLessThanOrEqual(2 * file.length);
    }
    expect(refused).toBeGreaterThan(300);
  });

  test("that claims a terabyte of data is rejected after one read", () => {
    const file = withField("tokenizer.ggml.tokens", "count", 2n ** 36n);
    const source = new CountedBytes(file, 2 ** 40);
    expect(() => readGgufHeader(source, tensorBlocks)).toThrow(
      "expected an array of at most 4194304 elements",
    );
    expect(source.bytesRead).toBe(64 * 1024);
  });

  test("that claims more than 128 MiB is rejected after one read", () => {
    const file = withField("general.architecture", "length", 2n ** 30n);
    const source = new CountedBytes(file, 2 ** 40);
    expect(() => readGgufHeader(source, tensorBlocks)).toThrow(
      "expected to end within the first 134217728 bytes",
    );
    expect(source.bytesRead).toBe(64 * 1024);
  });
});
