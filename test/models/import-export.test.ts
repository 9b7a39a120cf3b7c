import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { GgufContent } from "../../models/gguf/content.js";
import { type MetadataValue, texts, u32 } from "../../models/gguf/metadata.js";
import { writeGguf } from "../../models/gguf/writer.js";
import { Encoder } from "../../models/tokenizer/encode.js";
import { type Vocabulary, vocabularyFrom, wholeTokens } from "../../models/tokenizer/vocabulary.js";
import { temporaryFolder } from "./temporary-folder.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = temporaryFolder();

function run(script: string, ...args: readonly string[]) {
  const command = ["--import", "tsx", `models/train/${script}.ts`, ...args];
  return spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
}

/** Takes a model apart into a folder of this name; the script's result, and where its files are. */
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
  "llama.embedding_length",
  "llama.block_count",
  "llama.attention.head_count",
  "llama.attention.head_count_kv",
  "llama.feed_forward_length",
  "llama.rope.freq_base",
  "llama.attention.layer_norm_rms_epsilon",
];

/** A model of nothing but tokens and their embedding: row n is [n, -n]. */
function embeddingOnly(tokens: readonly string[], without?: string): GgufContent {
  const metadata: [string, MetadataValue][] = [
    ...numbers.map((key): [string, MetadataValue] => [key, u32(1)]),
    ["tokenizer.ggml.tokens", texts(tokens)],
    ["tokenizer.ggml.merges", texts(merges.map(([left, right]) => `${left} ${right}`))],
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

describe("taking a model apart", () => {
  it("lets a token that the model did not have begin as the mean of its pieces", () => {
    const added = wholeTokens[wholeTokens.length - 1] ?? "";
    const known = wanted.tokens.map((token) => (token === added ? "<|unused|>" : token));
    const { weights, vocabulary } = takeApart(written("old.gguf", embeddingOnly(known)), "old");
    expect(JSON.parse(readFileSync(vocabulary, "utf8")) as Vocabulary).toEqual(wanted);
    const bytes = Uint8Array.from(readFileSync(join(weights, "weights.bin")));
    const values = new Float32Array(bytes.buffer);
    const pieces = new Encoder(wanted).encodePieces(added);
    const mean = pieces.reduce((sum, id) => sum + id, 0) / pieces.length;
    for (const id of known.keys()) {
      const [first, second] = values.slice(id * width, (id + 1) * width);
      const expected = wanted.tokens[id] === added ? mean : id;
      expect(first).toBeCloseTo(expected, 3);
      expect(second).toBeCloseTo(-expected, 3);
    }
  });

  it.each(["tokenizer.ggml.merges", "tokenizer.ggml.tokens", "llama.block_count"])(
    "names %s if the file lacks it",
    (key) => {
      const { status, stderr } = takeApart(
        written("lacking.gguf", embeddingOnly(wanted.tokens, key)),
        "lacking",
      );
      expect(stderr).toContain(`${key}: expected`);
      expect(status).not.toBe(0);
    },
  );
});
