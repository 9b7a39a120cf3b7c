import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { readGgufFileInfo } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeHeader, type TensorHeader } from "../../../models/gguf/header.js";
import {
  f32,
  f32s,
  i32s,
  type MetadataValue,
  text,
  texts,
  u32,
} from "../../../models/gguf/metadata.js";
import { writeGguf } from "../../../models/gguf/writer.js";
import { randomModelContent } from "../../../models/random/generate.js";
import { buildFileInfo } from "../../../src/engine/loading/gguf-file-info.js";
import { checkModelFile } from "../../../src/engine/loading/model-file.js";
import { tinyModel } from "../../support/random-models.js";
import { shippedModel } from "../../support/shipped-model.js";
import { tensorBlocks } from "../../support/tensor-blocks.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ggufd-file-info-"));
});
afterAll(() => rm(folder, { recursive: true }));

const LEFT_OUT = ["merges", "scores", "token_type"].map((name) => `tokenizer.ggml.${name}`);

async function ours(path: string) {
  const { parts } = await checkModelFile({ role: "model", path }, tensorBlocks);
  return buildFileInfo(parts);
}

/** Metadata read by node-llama-cpp, with 64-bit numbers as numbers. */
async function theirs(path: string) {
  const info = await readGgufFileInfo(path, {
    ...{ sourceType: "filesystem", logWarnings: false, ignoreKeys: LEFT_OUT },
  });
  return withoutBigInts(info);
}

function withoutBigInts(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutBigInts);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutBigInts(one)]));
}

const entriesOfAnyModel: readonly (readonly [string, MetadataValue])[] = [
  ["general.architecture", text("llama")],
  ["tokenizer.ggml.model", text("gpt2")],
  ["tokenizer.ggml.tokens", texts(["a", "", "ü", "long ".repeat(100)])],
  ["llama.block_count", u32(2)],
  ["llama.context_length", u32(64)],
  ["llama.embedding_length", u32(32)],
];
const weight: TensorHeader = { name: "w", shape: [32, 2], typeId: 0, dataBytes: 256 };

async function fileWith(entries: readonly (readonly [string, MetadataValue])[]): Promise<string> {
  const path = join(folder, "model.gguf");
  const header = encodeHeader(new Map([...entriesOfAnyModel, ...entries]), [weight]);
  await writeFile(path, Buffer.concat([header, Buffer.alloc(weight.dataBytes)]));
  return path;
}

const number = fc
  .constantFrom("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64")
  .chain((type) =>
    fc
      .integer({ min: type.startsWith("u") ? 0 : -100, max: 100 })
      .map((value) => ({ type, value })),
  ) as fc.Arbitrary<MetadataValue>;
const values: fc.Arbitrary<MetadataValue> = fc.oneof(
  number,
  fc.float({ noNaN: true }).map(f32),
  fc.boolean().map((value): MetadataValue => ({ type: "bool", value })),
  fc.string({ unit: "grapheme", maxLength: 400 }).map(text),
  fc.array(fc.string({ unit: "grapheme" })).map(texts),
  fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })).map(i32s),
  fc.array(fc.float({ noNaN: true })).map(f32s),
);
/** Keys that extend each other, in any order. */
const keys = fc
  .array(fc.constantFrom("a", "b", "general", "license", "tokenizer", "chat_template", "x-y"), {
    minLength: 1,
    maxLength: 4,
  })
  .map((names) => names.join("."))
  // Excludes keys that name a group.
  .filter((key) => !["general", "tokenizer", "tokenizer.chat_template"].includes(key));

describe("the file information built from a header", () => {
  test.each([
    ["the shipped model", () => shippedModel],
    ["a random model", () => tinyModel()],
  ])("equals node-llama-cpp's for %s", async (_, path) => {
    expect(await ours(path())).toEqual(await theirs(path()));
  });

  test("includes all parts of a split model", async () => {
    const { metadata, tensors } = randomModelContent({ shape: "tiny", type: "q8_0", seed: 1 });
    const half = tensors.length / 2;
    const u16 = (value: number): MetadataValue => ({ type: "u16", value });
    for (const part of [0, 1]) {
      writeGguf(join(folder, `split-0000${part + 1}-of-00002.gguf`), {
        metadata: new Map([
          ...(part === 0 ? metadata : []),
          ...Object.entries({ "split.no": u16(part), "split.count": u16(2) }),
        ]),
        tensors: tensors.slice(part * half, (part + 1) * half),
      });
    }
    const first = join(folder, "split-00001-of-00002.gguf");
    expect(await ours(first)).toEqual(await theirs(first));
  });

  test("supports all value types, and keys that extend each other", async () => {
    const entries = fc.uniqueArray(fc.tuple(keys, values), { selector: ([key]) => key });
    await fc.assert(
      fc.asyncProperty(entries, async (some) => {
        const path = await fileWith(some);
        expect(await ours(path)).toEqual(await theirs(path));
      }),
      { numRuns: 300 },
    );
  });

  test("excludes tables that only llama.cpp needs", async () => {
    const path = await fileWith([["tokenizer.ggml.merges", texts(["a b"])]]);
    expect(Object.keys((await ours(path)).metadata.tokenizer.ggml)).toEqual(["model", "tokens"]);
  });

  test("is not vulnerable to prototype pollution by keys", async () => {
    const info = await ours(await fileWith([["__proto__.polluted", u32(1)]]));
    expect("polluted" in {}).toBe(false);
    expect(Object.keys(info.metadata)).toContain("__proto__");
  });
});
