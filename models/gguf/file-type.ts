import { type MetadataValue, u32 } from "./metadata.js";
import type { TensorType } from "./tensor-types.js";

/** llama.cpp's `llama_ftype`: the predominant tensor type of a file. */
const fileTypeIds: Readonly<Record<TensorType, number>> = { f32: 0, f16: 1, q8_0: 7 };

/** The version of ggml's quantised block layouts (`GGML_QNT_VERSION`). */
const quantizationVersion = 2;

/** The `general.*` entries that declare the storage type of a file's tensors. */
export function fileTypeEntries(type: TensorType): [string, MetadataValue][] {
  const fileType: [string, MetadataValue] = ["general.file_type", u32(fileTypeIds[type])];
  if (type !== "q8_0") return [fileType];
  return [fileType, ["general.quantization_version", u32(quantizationVersion)]];
}
