import { ByteWriter } from "../../../models/gguf/byte-writer.js";
import { elementCount } from "../../../models/gguf/content.js";
import { alignUp, defaultAlignment, magic, version } from "../../../models/gguf/format.js";
import { type Metadata, text } from "../../../models/gguf/metadata.js";
import { writeMetadataValue } from "../../../models/gguf/metadata-codec.js";
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
 * The header of a quantised model: its metadata without a tokenizer, and the types and sizes of its
 * tensors. Planning reads nothing else of a file, so that no data needs to follow.
 */
export function modelHeader(shape: LlamaShape, quantisation: Quantisation): ModelHeader {
  const { architecture, vocabularySize } = shape;
  const metadata: Metadata = new Map([
    ["general.architecture", text(architecture)],
    ...llamaMetadata(shape, vocabularySize),
    ["tokenizer.ggml.model", text("none")],
  ]);
  const weights = llamaWeights(shape, new Array<number>(vocabularySize).fill(tokenTypes.normal));
  const out = new ByteWriter();
  out.ascii(magic);
  out.number("u32", version);
  out.number("u64", weights.length);
  out.number("u64", metadata.size);
  for (const [key, entry] of metadata) {
    out.text(key);
    writeMetadataValue(out, key, entry);
  }
  let weightBytes = 0;
  for (const weight of weights) {
    const { id, blockElements, blockBytes } = typeOf(weight, shape, quantisation);
    out.text(weight.name);
    out.number("u32", weight.shape.length);
    for (const length of weight.shape) out.number("u64", length);
    out.number("u32", id);
    out.number("u64", weightBytes);
    const blocks = elementCount(weight.shape) / blockElements;
    weightBytes += alignUp(blocks * blockBytes, defaultAlignment);
  }
  out.padTo(defaultAlignment);
  return { bytes: out.bytes, weightBytes };
}
