import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { elementCount, type GgufContent, type GgufTensor } from "../gguf/content.js";
import { readGguf } from "../gguf/reader.js";
import { InputError } from "../input-error.js";
import { Encoder } from "../tokenizer/encode.js";
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
function configOf(content: GgufContent): Record<string, number> {
  const config = {
    vocab_size: "llama.vocab_size",
    width: "llama.embedding_length",
    layers: "llama.block_count",
    heads: "llama.attention.head_count",
    kv_heads: "llama.attention.head_count_kv",
    feed_forward: "llama.feed_forward_length",
    rope_base: "llama.rope.freq_base",
    norm_eps: "llama.attention.layer_norm_rms_epsilon",
  };
  return Object.fromEntries(
    Object.entries(config).map(([name, key]) => [name, numberOf(content, key)]),
  );
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

/** Lets each token that a model does not know yet begin as the mean of what it was cut into. */
function beginNewTokens(
  embedding: Float32Array,
  { known, vocabulary }: { readonly known: readonly string[]; readonly vocabulary: Vocabulary },
): void {
  const encoder = new Encoder(vocabulary);
  const width = embedding.length / known.length;
  for (const [id, token] of vocabulary.tokens.entries()) {
    if (known[id] === token) continue;
    const pieces = encoder.encodePieces(token);
    for (let i = 0; i < width; i += 1) {
      const sum = pieces.reduce((total, piece) => total + (embedding[piece * width + i] ?? 0), 0);
      embedding[id * width + i] = sum / pieces.length;
    }
  }
}

/**
 * Takes a trained model apart again, so that its training can go on anywhere: the weights as
 * `train.py --start` reads them, and the vocabulary that its corpus must be written in.
 */
function takeApart(model: string, weights: string, vocabulary: string): void {
  const content = readGguf(model);
  const merges = textsOf(content, "tokenizer.ggml.merges").map((merge) => {
    const [left = "", right = ""] = merge.split(" ");
    return [left, right] as const;
  });
  const known = textsOf(content, "tokenizer.ggml.tokens");
  const wanted = vocabularyFrom(merges);
  for (const folder of [weights, dirname(vocabulary)]) mkdirSync(folder, { recursive: true });
  writeFileSync(vocabulary, JSON.stringify(wanted));
  let offset = 0;
  const tensors = content.tensors.map(({ name, shape }) => {
    const at = offset;
    offset += 4 * elementCount(shape);
    return { name, shape: shape.toReversed(), offset: at };
  });
  const bytes = content.tensors.map((tensor) => {
    const values = valuesOf(tensor);
    if (tensor.name === "token_embd.weight") {
      beginNewTokens(values, { known, vocabulary: wanted });
    }
    return Buffer.from(values.buffer);
  });
  writeFileSync(join(weights, "weights.bin"), Buffer.concat(bytes));
  const index = { config: configOf(content), tensors };
  writeFileSync(join(weights, "weights.json"), `${JSON.stringify(index, null, 1)}\n`);
  console.log(`${model}: ${tensors.length} tensors, ${offset} bytes, ${merges.length} merges`);
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
