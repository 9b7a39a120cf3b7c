import { ByteWriter } from "./byte-writer.js";
import { defaultAlignment, magic, version } from "./format.js";
import type { Metadata } from "./metadata.js";
import { writeMetadataValue } from "./metadata-codec.js";

/** What a header says of a tensor. */
export interface TensorHeader {
  readonly name: string;
  /** Dimensions in ggml's order: the row length first. */
  readonly shape: readonly number[];
  /** Of ggml's types. */
  readonly typeId: number;
  /** Bytes of its data with the padding to the alignment. */
  readonly dataBytes: number;
}

/** All of a GGUF v3 file before the data of its tensors, which follow each other in this order. */
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
