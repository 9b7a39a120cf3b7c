import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { elementCount, type GgufContent, type GgufTensor } from "../gguf/content.js";
import { readGguf } from "../gguf/reader.js";
import { InputError } from "../input-error.js";
import { Encoder } from "../tokenizer/encode.js";
import { inEveryCase } from "../tokenizer/learn.js";
import { type Vocabulary, vocabularyFrom } from "../tokenizer/vocabulary.js";

function textsOf({ metadata }: GgufContent, key: string): readonly string[] {
  const found = metadata.get(key);
  if (found?.type !== "array" || found.element !== "string") {
    throw new InputError(`${key}: expected a list of texts, got ${found?.type ?? "nothing"}`);
  }
  return found.values;
}

function numberOf({ metadata }: GgufContent, key: string): number {
  const found = metadata.get(key);
  if (found?.type !== "f32" && found?.type !== "u32") {
    throw new InputError(`${key}: expected an f32 or u32, got ${found?.type ?? "nothing"}`);
  }
  return found.value;
}

/** Shape of the network, as `train.py` and `export.ts` read it. */
function configOf(content: GgufContent) {
  return {
    vocab_size: numberOf(content, "llama.vocab_size"),
    width: numberOf(content, "llama.embedding_length"),
    layers: numberOf(content, "llama.block_count"),
    heads: numberOf(content, "llama.attention.head_count"),
    kv_heads: numberOf(content, "llama.attention.head_count_kv"),
    feed_forward: numberOf(content, "llama.feed_forward_length"),
    rope_base: numberOf(content, "llama.rope.freq_base"),
    norm_eps: numberOf(content, "llama.attention.layer_norm_rms_epsilon"),
  };
}

/** All values of a tensor. */
function valuesOf({ shape, rows }: GgufTensor): Float32Array {
  const values = new Float32Array(elementCount(shape));
  let at = 0;
  for (const row of rows()) {
    values.set(row, at);
    at += row.length;
  }
  return values;
}

/** The merges of a file, and those of upper-case letters if it does not have them yet. */
function mergesOf(content: GgufContent): Vocabulary["merges"] {
  const merges = textsOf(content, "tokenizer.ggml.merges").map((merge) => {
    const [left = "", right = ""] = merge.split(" ");
    return [left, right] as const;
  });
  const letters = (merge: readonly string[]): boolean => /^[a-z]+ [a-z]+$/i.test(merge.join(" "));
  const lower = merges.filter((merge) => /^[a-z]+ [a-z]+$/.test(merge.join(" ")));
  return [...inEveryCase(lower), ...merges.filter((merge) => !letters(merge))];
}

/**
 * The rows of an embedding for another vocabulary. A new token in upper case begins twice as far
 * from its lower case as its capital is, any other one as the mean of what it was cut into.
 */
function rowsFor(
  vocabulary: Vocabulary,
  embedding: Float32Array,
  known: readonly string[],
): Float32Array {
  const width = embedding.length / known.length;
  const rowOf = new Map(
    known.map((token, id) => [token, embedding.subarray(id * width, (id + 1) * width)]),
  );
  const row = (token: string): Float32Array => {
    const found = rowOf.get(token);
    if (found === undefined) throw new InputError(`tokenizer.ggml.tokens: expected "${token}"`);
    return found;
  };
  const encoder = new Encoder(vocabulary);
  const begin = (token: string): Float32Array => {
    if (/^[A-Z]+$/.test(token)) {
      const lower = row(token.toLowerCase());
      const capital = row(token.charAt(0) + token.slice(1).toLowerCase());
      return capital.map((value, i) => 2 * value - (lower[i] ?? 0));
    }
    const pieces = encoder.encodePieces(token).map((id) => row(vocabulary.tokens[id] ?? ""));
    return Float32Array.from({ length: width }, (_, i) =>
      pieces.reduce((sum, piece) => sum + (piece[i] ?? 0) / pieces.length, 0),
    );
  };
  const rows = vocabulary.tokens.map((token) => rowOf.get(token) ?? begin(token));
  const size = 32 * Math.ceil(rows.length / 32);
  const values = new Float32Array(size * width);
  for (const [id, each] of rows.entries()) values.set(each, id * width);
  return values;
}

/**
 * Takes a trained model apart again, so that its training can go on anywhere: the weights as
 * `train.py --start` reads them, and the vocabulary that its corpus must be written in.
 */
function takeApart(model: string, weights: string, vocabulary: string): void {
  const content = readGguf(model);
  const known = textsOf(content, "tokenizer.ggml.tokens");
  const wanted = vocabularyFrom(mergesOf(content));
  for (const folder of [weights, dirname(vocabulary)]) mkdirSync(folder, { recursive: true });
  writeFileSync(vocabulary, JSON.stringify(wanted));
  const config = configOf(content);
  let offset = 0;
  const parts = content.tensors.map((tensor) => {
    const values = valuesOf(tensor);
    if (tensor.name !== "token_embd.weight")
      return { name: tensor.name, shape: tensor.shape, values };
    const rows = rowsFor(wanted, values, known);
    return { name: tensor.name, shape: [config.width, rows.length / config.width], values: rows };
  });
  const tensors = parts.map(({ name, shape, values }) => {
    const at = offset;
    offset += values.byteLength;
    return { name, shape: shape.toReversed(), offset: at };
  });
  const bytes = parts.map(({ values }) => Buffer.from(values.buffer));
  writeFileSync(join(weights, "weights.bin"), Buffer.concat(bytes));
  const index = { config, tensors };
  writeFileSync(join(weights, "weights.json"), `${JSON.stringify(index, null, 1)}\n`);
  console.log(
    `${model}: ${tensors.length} tensors, ${offset} bytes, ${wanted.merges.length} merges`,
  );
}

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    weights: { type: "string" },
    vocabulary: { type: "string" },
  },
});
if (!values.model || !values.weights || !values.vocabulary) {
  throw new Error("import: expected --model FILE --weights FOLDER --vocabulary FILE");
}
takeApart(values.model, values.weights, values.vocabulary);
