import { elementCount } from "../../../models/gguf/content.js";
import { alignUp, defaultAlignment } from "../../../models/gguf/format.js";
import { encodeHeader } from "../../../models/gguf/header.js";
import { type Metadata, text, texts } from "../../../models/gguf/metadata.js";
import { tokenTypes } from "../../../models/gguf/token-types.js";
import { llamaMetadata, llamaWeights } from "../../../models/random/llama-model.js";
import type { LlamaShape } from "../../../models/random/shapes.js";
import { type Quantisation, typeOf } from "./quantisations.js";

/** The beginning of a GGUF file, and what would follow. */
export interface ModelHeader {
  readonly bytes: Uint8Array;
  /** Size of the tensors' data, in bytes. */
  readonly weightBytes: number;
}

/**
 * The header of a quantised model: its metadata with a vocabulary of empty texts, and the types and sizes
 * of its tensors. Planning reads nothing else of a file, so that nothing needs to be in the data that follows.
 */
export function modelHeader(shape: LlamaShape, quantisation: Quantisation): ModelHeader {
  const { architecture, vocabularySize } = shape;
  const metadata: Metadata = new Map([
    ["general.architecture", text(architecture)],
    ...llamaMetadata(shape, vocabularySize),
    ["tokenizer.ggml.model", text("none")],
    ["tokenizer.ggml.tokens", texts(new Array<string>(vocabularySize).fill(""))],
  ]);
  const weights = llamaWeights(shape, new Array<number>(vocabularySize).fill(tokenTypes.normal));
  const tensors = weights.map((weight) => {
    const { id, blockElements, blockBytes } = typeOf(weight, shape, quantisation);
    const blocks = elementCount(weight.shape) / blockElements;
    return {
      name: weight.name,
      shape: weight.shape,
      typeId: id,
      dataBytes: alignUp(blocks * blockBytes, defaultAlignment),
    };
  });
  return {
    bytes: encodeHeader(metadata, tensors),
    weightBytes: tensors.reduce((sum, { dataBytes }) => sum + dataBytes, 0),
  };
}
