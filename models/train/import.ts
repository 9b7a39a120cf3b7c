import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

import { nonEmptyText } from "../../src/validation/fields.js";
import { readFlags } from "../flags.js";
import { elementCount, type GgufContent, type GgufTensor } from "../gguf/content.js";
import { readGguf } from "../gguf/reader.js";
import { InputError } from "../input-error.js";
import { runScript } from "../run-script.js";
import { Encoder } from "../tokenizer/encode.js";
import { inEveryCase } from "../tokenizer/learn.js";
import { type Vocabulary, vocabularyFrom } from "../tokenizer/vocabulary.js";
import { writeVocabulary } from "../tokenizer/vocabulary-file.js";
import { type NetworkConfig, writeWeights } from "./weights.js";

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

function configOf(content: GgufContent): NetworkConfig {
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
 * `tsx models/train/import.ts --model FILE --weights FOLDER --vocabulary FILE` takes a trained model
 * apart again, so that its training can go on anywhere: the weights as `train.py --start` reads
 * them, and the vocabulary that its corpus must be written in.
 */
await runScript(async (args) => {
  const flags = readFlags(args, {
    model: nonEmptyText(),
    weights: nonEmptyText(),
    vocabulary: nonEmptyText(),
  });
  const content = readGguf(flags.model);
  const known = textsOf(content, "tokenizer.ggml.tokens");
  const vocabulary = vocabularyFrom(mergesOf(content));
  const config = configOf(content);
  const tensors = content.tensors.map((tensor) => {
    const values = valuesOf(tensor);
    if (tensor.name !== "token_embd.weight") {
      return { name: tensor.name, shape: tensor.shape.toReversed(), values };
    }
    const rows = rowsFor(vocabulary, values, known);
    return { name: tensor.name, shape: [rows.length / config.width, config.width], values: rows };
  });
  for (const folder of [flags.weights, dirname(flags.vocabulary)]) {
    mkdirSync(folder, { recursive: true });
  }
  writeVocabulary(flags.vocabulary, vocabulary);
  writeWeights(flags.weights, { config, tensors });
  console.log(`${flags.model}: ${tensors.length} tensors, ${vocabulary.tokens.length} tokens`);
});
