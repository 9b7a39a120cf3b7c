import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

import { nonEmptyText } from "../../../src/validation/fields.js";
import { readFlags } from "../../command-line/flags.js";
import { InputError } from "../../command-line/input-error.js";
import { runScript } from "../../command-line/run-script.js";
import { elementCount, type GgufContent, type GgufTensor } from "../../gguf/content.js";
import { kindOf, stringArrayAt } from "../../gguf/metadata.js";
import { readGguf } from "../../gguf/reader.js";
import { type Vocabulary, vocabularyFrom } from "../tokenizer/vocabulary.js";
import { writeVocabulary } from "../tokenizer/vocabulary-file.js";
import { type NetworkConfig, writeWeights } from "./weights.js";

function numberOf({ metadata }: GgufContent, key: string): number {
  const found = metadata.get(key);
  if (found?.type !== "f32" && found?.type !== "u32") {
    throw new InputError(`${key}: expected an f32 or u32, got ${kindOf(found)}`);
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

/**
 * Vocabulary that the merges of a file define.
 * @throws {InputError} if the file has other tokens, as models of other recipes do
 */
function vocabularyOf(content: GgufContent): Vocabulary {
  const merges = stringArrayAt(content.metadata, "tokenizer.ggml.merges").map((merge) => {
    const [left = "", right = ""] = merge.split(" ");
    return [left, right] as const;
  });
  const vocabulary = vocabularyFrom(merges);
  const known = stringArrayAt(content.metadata, "tokenizer.ggml.tokens");
  for (const [id, token] of vocabulary.tokens.entries()) {
    if (known[id] !== token) {
      const [expected, got] = [token, known[id]].map((text) => JSON.stringify(text) ?? "nothing");
      throw new InputError(`tokenizer.ggml.tokens: ${id}: expected ${expected}, got ${got}`);
    }
  }
  return vocabulary;
}

/**
 * `tsx models/training/train/import.ts --model FILE --weights FOLDER --vocabulary FILE`: extracts
 * the weights of a trained model as `train.py --start` reads them, and the vocabulary of its
 * corpus, so that training can continue elsewhere.
 */
await runScript(async (args) => {
  const flags = readFlags(args, {
    model: nonEmptyText(),
    weights: nonEmptyText(),
    vocabulary: nonEmptyText(),
  });
  const content = readGguf(flags.model);
  const vocabulary = vocabularyOf(content);
  const tensors = content.tensors.map((tensor) => ({
    name: tensor.name,
    shape: tensor.shape.toReversed(),
    values: valuesOf(tensor),
  }));
  for (const folder of [flags.weights, dirname(flags.vocabulary)]) {
    mkdirSync(folder, { recursive: true });
  }
  writeVocabulary(flags.vocabulary, vocabulary);
  writeWeights(flags.weights, { config: configOf(content), tensors });
  console.log(`${flags.model}: ${tensors.length} tensors, ${vocabulary.tokens.length} tokens`);
});
