import { InputError } from "../command-line/input-error.js";
import { fileTypeEntries } from "../gguf/file-type.js";
import { type Metadata, text } from "../gguf/metadata.js";
import type { TensorType } from "../gguf/tensor-types.js";
import { type WriteProgress, writeGguf } from "../gguf/writer.js";
import { bertMetadata, bertWeights } from "./bert-model.js";
import { chatmlTemplate } from "./chatml.jinja.js";
import { cohereMetadata, cohereWeights } from "./cohere-model.js";
import { jambaMetadata, jambaWeights } from "./jamba-model.js";
import { llamaCppTokenizer } from "./llama-cpp-tokenizer.js";
import { llamaMetadata, llamaWeights } from "./llama-model.js";
import { mambaMetadata, mambaWeights } from "./mamba-model.js";
import { ownTokenizer } from "./own-tokenizer.js";
import { type Shape, type ShapeName, shapes } from "./shapes.js";
import type { Tokenizer } from "./tokenizer.js";
import { parametersOf, toTensor, type Weight } from "./weights.js";

/** Options of {@link generateRandomModel}. */
export interface RandomModelOptions {
  readonly shape: ShapeName;
  /** Storage type of the matrices; vectors are always f32. */
  readonly type: TensorType;
  /** An integer from 0 to 2^32 - 1. Equal options give equal files, byte for byte. */
  readonly seed: number;
  /** Path of the file; its directory is created if missing. */
  readonly path: string;
  /** A tokenizer from llama.cpp's vocabulary files; our own when absent. */
  readonly tokenizer?: string | undefined;
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
 * trained model, with meaningless output.
 *
 * @throws InputError naming the invalid option
 */
export function generateRandomModel(options: RandomModelOptions): RandomModel {
  const { shape: name, type, seed, path } = options;
  assertSeed(seed);
  const shape: Shape = shapes[name];
  const tokenizer = tokenizerFor(shape, options.tokenizer);
  const weights = weightsOf(shape, tokenizer);
  const parameters = weights.reduce((sum, weight) => sum + parametersOf(weight), 0);
  const metadata: Metadata = new Map([
    ["general.architecture", text(shape.architecture)],
    ["general.type", text("model")],
    ["general.name", text(`ggufd random ${name}`)],
    ["general.description", text(`Random weights of seed ${seed}, for tests and measurements`)],
    ["general.author", text("ggufd")],
    ["general.license", text("MIT")],
    ["general.size_label", text(sizeLabel(parameters))],
    ...fileTypeEntries(type),
    ...architectureMetadata(shape, tokenizer),
    ...(shape.architecture === "bert" ? [] : templateEntries),
    ...tokenizer.metadata,
  ]);
  const tensors = weights.map((weight) => toTensor(weight, type, seed));
  const sizeBytes = writeGguf(path, { metadata, tensors }, options.onProgress);
  return { path, parameters, sizeBytes };
}

const templateEntries = [["tokenizer.chat_template", text(chatmlTemplate)]] as const;

function assertSeed(seed: number): void {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffff_ffff) {
    throw new InputError(`seed: expected an integer from 0 to 4294967295, got ${seed}`);
  }
}

function tokenizerFor(shape: Shape, name: string | undefined): Tokenizer {
  if (name !== undefined) return llamaCppTokenizer(name);
  return ownTokenizer(
    shape.vocabularySize,
    shape.architecture === "bert" ? "begin-and-end" : "none",
  );
}

function architectureMetadata(shape: Shape, { tokenTypes }: Tokenizer): Metadata {
  switch (shape.architecture) {
    case "llama":
      return llamaMetadata(shape, tokenTypes.length);
    case "cohere2":
      return cohereMetadata(shape);
    case "mamba":
      return mambaMetadata(shape);
    case "jamba":
      return jambaMetadata(shape);
    case "bert":
      return bertMetadata(shape);
  }
}

function weightsOf(shape: Shape, { tokenTypes }: Tokenizer): Weight[] {
  switch (shape.architecture) {
    case "llama":
      return llamaWeights(shape, tokenTypes);
    case "cohere2":
      return cohereWeights(shape, tokenTypes);
    case "mamba":
      return mambaWeights(shape, tokenTypes);
    case "jamba":
      return jambaWeights(shape, tokenTypes);
    case "bert":
      return bertWeights(shape, tokenTypes);
  }
}

/** The parameter count in the form of `general.size_label`, e.g. `135M`. */
function sizeLabel(parameters: number): string {
  return parameters < 1e6 ? `${Math.round(parameters / 1e3)}K` : `${Math.round(parameters / 1e6)}M`;
}
