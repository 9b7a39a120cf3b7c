import { type GgufContent, parameterCount } from "../gguf/content.js";
import { type Metadata, text } from "../gguf/metadata.js";
import type { TensorType } from "../gguf/tensor-types.js";
import { type WriteProgress, writeGguf } from "../gguf/writer.js";
import { bertMetadata, bertWeights } from "./bert-model.js";
import { chatmlTemplate } from "./chatml.jinja.js";
import { cohereMetadata, cohereWeights } from "./cohere-model.js";
import { gemma3Metadata, gemma3Weights } from "./gemma3-model.js";
import { generalEntries } from "./general-entries.js";
import { jambaMetadata, jambaWeights } from "./jamba-model.js";
import { llamaCppTokenizer } from "./llama-cpp-tokenizer.js";
import { llamaMetadata, llamaWeights } from "./llama-model.js";
import { mambaMetadata, mambaWeights } from "./mamba-model.js";
import { type InputFrame, ownTokenizer } from "./own-tokenizer.js";
import { qwen2vlMetadata, qwen2vlWeights } from "./qwen2vl-model.js";
import { qwen3Metadata, qwen3Weights } from "./qwen3-model.js";
import { assertSeed } from "./random-stream.js";
import { type Shape, type ShapeName, shapes } from "./shapes.js";
import type { Tokenizer } from "./tokenizer.js";
import { toTensor, type Weight } from "./weights.js";

/** Options of {@link randomModelContent}. */
export interface RandomContentOptions {
  readonly shape: ShapeName;
  /** Storage type of the matrices; vectors are always f32. */
  readonly type: TensorType;
  /** An integer from 0 to 2^32 - 1. Equal options give equal files, byte for byte. */
  readonly seed: number;
  /** Tokenizer from llama.cpp's vocabulary files; this repository's own if absent. */
  readonly tokenizer?: string | undefined;
}

/** Options of {@link generateRandomModel}. */
export interface RandomModelOptions extends RandomContentOptions {
  /** Path of the file; its directory is created if missing. */
  readonly path: string;
  readonly onProgress?: (progress: WriteProgress) => void;
}

/** The generated model. */
export interface RandomModel {
  readonly path: string;
  readonly parameters: number;
  readonly sizeBytes: number;
}

/**
 * Writes a GGUF model of a named shape with random weights. It loads, tokenises and generates like a
 * trained model, with meaningless output. About 20 million parameters per second; the memory needed
 * does not depend on their number.
 *
 * @throws InputError naming the invalid option
 */
export function generateRandomModel(options: RandomModelOptions): RandomModel {
  const { path, onProgress } = options;
  const content = randomModelContent(options);
  const sizeBytes = writeGguf(path, content, onProgress);
  return { path, parameters: parameterCount(content.tensors), sizeBytes };
}

/**
 * The content of the file that {@link generateRandomModel} writes. The values of a matrix are
 * generated while its `rows()` are iterated, a chunk of rows at a time.
 *
 * @throws InputError naming the invalid option
 */
export function randomModelContent(options: RandomContentOptions): GgufContent {
  const { shape: name, type, seed } = options;
  assertSeed(seed);
  const shape: Shape = shapes[name];
  const tokenizer = tokenizerFor(shape, options.tokenizer);
  const tensors = weightsOf(shape, tokenizer).map((weight) => toTensor(weight, type, seed));
  const metadata: Metadata = new Map([
    ...generalEntries({
      architecture: shape.architecture,
      kind: "model",
      name,
      type,
      seed,
      tensors,
    }),
    ...architectureMetadata(shape, tokenizer),
    ...(shape.architecture === "bert" ? [] : templateEntries),
    ...tokenizer.metadata,
  ]);
  return { metadata, tensors };
}

const templateEntries = [["tokenizer.chat_template", text(chatmlTemplate)]] as const;

function tokenizerFor(shape: Shape, name: string | undefined): Tokenizer {
  if (name !== undefined) return llamaCppTokenizer(name);
  return ownTokenizer(shape.vocabularySize, inputFrameOf(shape));
}

/**
 * Input frame: an embedding decoder takes its result at an end token; a reranking one has a prompt
 * template.
 */
function inputFrameOf(shape: Shape): InputFrame {
  if (shape.architecture === "bert") return "begin-and-end";
  return shape.architecture === "qwen3" && shape.purpose === "embed" ? "end" : "none";
}

function architectureMetadata(shape: Shape, { tokenTypes }: Tokenizer): Metadata {
  switch (shape.architecture) {
    case "llama":
      return llamaMetadata(shape, tokenTypes.length);
    case "cohere2":
      return cohereMetadata(shape);
    case "gemma3":
      return gemma3Metadata(shape);
    case "qwen2vl":
      return qwen2vlMetadata(shape);
    case "mamba":
      return mambaMetadata(shape);
    case "jamba":
      return jambaMetadata(shape);
    case "bert":
      return bertMetadata(shape);
    case "qwen3":
      return qwen3Metadata(shape);
  }
}

function weightsOf(shape: Shape, { tokenTypes }: Tokenizer): Weight[] {
  switch (shape.architecture) {
    case "llama":
      return llamaWeights(shape, tokenTypes);
    case "cohere2":
      return cohereWeights(shape, tokenTypes);
    case "gemma3":
      return gemma3Weights(shape, tokenTypes);
    case "qwen2vl":
      return qwen2vlWeights(shape, tokenTypes);
    case "mamba":
      return mambaWeights(shape, tokenTypes);
    case "jamba":
      return jambaWeights(shape, tokenTypes);
    case "bert":
      return bertWeights(shape, tokenTypes);
    case "qwen3":
      return qwen3Weights(shape, tokenTypes);
  }
}
