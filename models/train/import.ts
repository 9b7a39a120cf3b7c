import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { elementCount, type GgufContent, type GgufTensor } from "../gguf/content.js";
import { readGguf } from "../gguf/reader.js";
import { InputError } from "../input-error.js";
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

/** All values of a tensor as f32, in this machine's byte order. */
function bytesOf({ rows }: GgufTensor): Buffer {
  return Buffer.concat(
    [...rows()].map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength)),
  );
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
  for (const folder of [weights, dirname(vocabulary)]) mkdirSync(folder, { recursive: true });
  writeFileSync(vocabulary, JSON.stringify(vocabularyFrom(merges)));
  let offset = 0;
  const tensors = content.tensors.map(({ name, shape }) => {
    const at = offset;
    offset += 4 * elementCount(shape);
    return { name, shape: shape.toReversed(), offset: at };
  });
  writeFileSync(join(weights, "weights.bin"), Buffer.concat(content.tensors.map(bytesOf)));
  const config = { rope_base: numberOf(content, "llama.rope.freq_base") };
  writeFileSync(join(weights, "weights.json"), `${JSON.stringify({ config, tensors }, null, 1)}\n`);
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
