import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { GgufContent } from "../../../models/gguf/content.js";
import { type MetadataValue, texts, u32 } from "../../../models/gguf/metadata.js";
import { writeGguf } from "../../../models/gguf/writer.js";
import { vocabularyFrom } from "../../../models/training/tokenizer/vocabulary.js";
import { shippedModel } from "../../support/shipped-model.js";
import { temporaryFolder } from "../temporary-folder.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = temporaryFolder();

function run(script: string, ...args: readonly string[]) {
  const command = ["--import", "tsx", `models/training/train/${script}.ts`, ...args];
  return spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
}

/** Imports a model into a folder of this name; the script's result and the paths of its files. */
function takeApart(model: string, name: string) {
  const weights = join(folder, name);
  const vocabulary = join(weights, "vocabulary.json");
  const args = ["--model", model, "--weights", weights, "--vocabulary", vocabulary];
  return { weights, vocabulary, ...run("import", ...args) };
}

const width = 2;
const merges = [
  ["a", "b"],
  ['"', ","],
] as const;
const wanted = vocabularyFrom(merges);

const numbers = [
  "llama.vocab_size",
  "llama.block_count",
  "llama.attention.head_count",
  "llama.attention.head_count_kv",
  "llama.feed_forward_length",
  "llama.rope.freq_base",
  "llama.attention.layer_norm_rms_epsilon",
];

/** A model with only tokens and their embeddings: row n is [n, -n]. */
function embeddingOnly(tokens: readonly string[], without?: string): GgufContent {
  const metadata: [string, MetadataValue][] = [
    ...numbers.map((key): [string, MetadataValue] => [key, u32(1)]),
    ["llama.embedding_length", u32(width)],
    ["tokenizer.ggml.tokens", texts(tokens)],
    ["tokenizer.ggml.merges", texts(merges.map((merge) => merge.join(" ")))],
  ];
  const rows = () => tokens.map((_, id) => Float32Array.of(id, -id));
  const shape = [width, tokens.length];
  return {
    metadata: new Map(metadata.filter(([key]) => key !== without)),
    tensors: [{ name: "token_embd.weight", type: "f32", shape, rows }],
  };
}

function written(name: string, content: GgufContent): string {
  const path = join(folder, name);
  writeGguf(path, content);
  return path;
}

describe("importing a model", () => {
  it("and exporting it again gives the same file", () => {
    const { status, stderr, weights, vocabulary } = takeApart(shippedModel, "shipped");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const out = join(folder, "again.gguf");
    run("export", "--weights", weights, "--vocabulary", vocabulary, "--out", out);
    expect(readFileSync(out).equals(readFileSync(shippedModel))).toBe(true);
  });

  it.each([
    ["a different token", wanted.tokens.with(257, "x"), "257: expected "],
    ["fewer tokens", wanted.tokens.slice(0, 100), '100: expected "d", got nothing'],
  ])("refuses a file with %s than its merges define", (_, tokens, reason) => {
    const { status, stderr } = takeApart(written("other.gguf", embeddingOnly(tokens)), "other");
    expect(stderr).toContain(`error: tokenizer.ggml.tokens: ${reason}`);
    expect(status).toBe(2);
  });

  it.each(["tokenizer.ggml.merges", "tokenizer.ggml.tokens", "llama.block_count"])(
    "reports the missing metadata key %s",
    (key) => {
      const { status, stderr } = takeApart(
        written("lacking.gguf", embeddingOnly(wanted.tokens, key)),
        "lacking",
      );
      expect(stderr).toContain(`${key}: expected`);
      expect(status).toBe(2);
    },
  );
});

describe("exporting a model", () => {
  const whole = takeApart(written("whole.gguf", embeddingOnly(wanted.tokens)), "whole");
  const index = readFileSync(join(whole.weights, "weights.json"), "utf8");
  const values = readFileSync(join(whole.weights, "weights.bin"));
  const vocabulary = readFileSync(whole.vocabulary, "utf8");

  it.each([
    [
      "the weights are truncated",
      { values: values.subarray(4) },
      /weights\.bin: expected \d+ bytes, got/,
    ],
    ["the index is truncated", { index: index.slice(0, -9) }, /weights\.json: expected JSON, got/],
    [
      "a dimension is not a number",
      { index: index.replace('"width": 2', '"width": "2"') },
      /config\.width/,
    ],
    [
      "a tensor offset is not aligned to a value",
      { index: index.replace('"offset": 0', '"offset": 2') },
      /weights\.json: tensors\.0\.offset: /,
    ],
    [
      "a tensor offset is beyond the end",
      { index: index.replace('"offset": 0', '"offset": 4') },
      /weights\.json: token_embd\.weight: expected an offset of at most 0, got 4/,
    ],
    ["there are no merges", { vocabulary: '{"tokens":[]}' }, /vocabulary\.json: merges: /],
  ])("reports the file name if %s", (_, files, reason) => {
    const found = { index, values, vocabulary, ...files };
    writeFileSync(join(whole.weights, "weights.json"), found.index);
    writeFileSync(join(whole.weights, "weights.bin"), found.values);
    writeFileSync(whole.vocabulary, found.vocabulary);
    const out = join(folder, "never.gguf");
    const flags = ["--weights", whole.weights, "--vocabulary", whole.vocabulary, "--out", out];
    const { status, stderr } = run("export", ...flags);
    expect(stderr).toMatch(reason);
    expect(stderr).toMatch(/^error: [^\n]*\n$/);
    expect(status).toBe(2);
    expect(existsSync(out)).toBe(false);
  });
});
