import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { elementCount, type GgufContent, type GgufTensor, rowLength } from "../gguf/content.js";
import { readGguf } from "../gguf/reader.js";
import { InputError } from "../input-error.js";
import {
  averageParts,
  type Exchange,
  exchangeMerges,
  parseExchange,
} from "../tokenizer/exchange.js";
import { vocabularyFrom } from "../tokenizer/vocabulary.js";

function textsOf({ metadata }: GgufContent, key: string): readonly string[] {
  const found = metadata.get(key);
  if (found?.type !== "array" || found.element !== "string") {
    throw new InputError(`${key}: expected a list of texts, got ${found?.type ?? "nothing"}`);
  }
  return found.values;
}

function numberOf({ metadata }: GgufContent, key: string): number {
  const found = metadata.get(key);
  if (found?.type !== "f32") {
    throw new InputError(`${key}: expected an f32, got ${found?.type ?? "nothing"}`);
  }
  return found.value;
}

/** All values of a tensor, row after row. */
function valuesOf({ rows, shape }: GgufTensor): Float32Array {
  const values = new Float32Array(elementCount(shape));
  let at = 0;
  for (const chunk of rows()) {
    values.set(chunk, at);
    at += chunk.length;
  }
  return values;
}

/**
 * Takes a trained model apart again, so that its training can go on anywhere: the weights as
 * `train.py --start` reads them, in this machine's byte order, and the vocabulary that its corpus
 * must be written in.
 */
function takeApart(
  { model, weights, vocabulary }: Record<"model" | "weights" | "vocabulary", string>,
  exchanges: readonly Exchange[],
): void {
  const content = readGguf(model);
  const merges = textsOf(content, "tokenizer.ggml.merges").map((merge) => {
    const [left = "", right = ""] = merge.split(" ");
    return [left, right] as const;
  });
  const learnt = vocabularyFrom(exchangeMerges(merges, exchanges));
  for (const folder of [weights, dirname(vocabulary)]) mkdirSync(folder, { recursive: true });
  writeFileSync(vocabulary, JSON.stringify(learnt));
  let offset = 0;
  const tensors = content.tensors.map(({ name, shape }) => {
    const at = offset;
    offset += 4 * elementCount(shape);
    return { name, shape: shape.toReversed(), offset: at };
  });
  const values = content.tensors.map((tensor) => {
    const numbers = valuesOf(tensor);
    if (tensor.name === "token_embd.weight") {
      averageParts(numbers, rowLength(tensor.shape), learnt, exchanges);
    }
    return Buffer.from(numbers.buffer);
  });
  writeFileSync(join(weights, "weights.bin"), Buffer.concat(values));
  const config = { rope_base: numberOf(content, "llama.rope.freq_base") };
  writeFileSync(join(weights, "weights.json"), `${JSON.stringify({ config, tensors }, null, 1)}\n`);
  console.log(`${model}: ${tensors.length} tensors, ${offset} bytes, ${merges.length} merges`);
}

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    weights: { type: "string" },
    vocabulary: { type: "string" },
    exchange: { type: "string", multiple: true, default: [] },
  },
});
if (!values.model || !values.weights || !values.vocabulary) {
  throw new Error("import: expected --model FILE --weights FOLDER --vocabulary FILE");
}
const { model, weights, vocabulary, exchange } = values;
takeApart({ model, weights, vocabulary }, exchange.map(parseExchange));
