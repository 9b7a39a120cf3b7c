import { ByteWriter } from "./byte-writer.js";
import { defaultAlignment, magic, version } from "./format.js";
import type { Metadata } from "./metadata.js";
import { writeMetadataValue } from "./metadata-codec.js";

/** Description of a tensor in the header. */
export interface TensorHeader {
  readonly name: string;
  /** Dimensions in ggml's order: the row length first. */
  readonly shape: readonly number[];
  /** Type id of ggml. */
  readonly typeId: number;
  /** Bytes of the tensor's data, padded to the alignment. */
  readonly dataBytes: number;
}

/** Encodes everything in a GGUF v3 file before the tensor data, which follows in the same order. */
export function encodeHeader(metadata: Metadata, tensors: readonly TensorHeader[]): Uint8Array {
  const out = new ByteWriter();
  out.ascii(magic);
  out.number("u32", version);
  out.number("u64", tensors.length);
  out.number("u64", metadata.size);
  for (const [key, entry] of metadata) {
    out.text(key);
    writeMetadataValue(out, key, entry);
  }
  let dataOffset = 0;
  for (const { name, shape, typeId, dataBytes } of tensors) {
    out.text(name);
    out.number("u32", shape.length);
    for (const length of shape) out.number("u64", length);
    out.number("u32", typeId);
    out.number("u64", dataOffset);
    dataOffset += dataBytes;
  }
  out.padTo(defaultAlignment);
  return out.bytes;
}
