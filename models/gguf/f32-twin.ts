import { fileTypeEntries } from "./file-type.js";
import type { MetadataValue } from "./metadata.js";
import { readGguf } from "./reader.js";
import { writeGguf } from "./writer.js";

/**
 * Writes a copy of a GGUF file with all tensors losslessly dequantised to f32. A test compares a model
 * with this twin to distinguish rounding in the weights, which both share, from rounding in the
 * kernels that multiply them.
 *
 * @returns the size of the new file in bytes
 * @throws InputError when the input is not a GGUF file that {@link readGguf} supports
 */
export function writeF32Twin(inputPath: string, outputPath: string): number {
  const { metadata, tensors } = readGguf(inputPath);
  const twinMetadata = new Map<string, MetadataValue>(metadata);
  twinMetadata.delete("general.quantization_version");
  twinMetadata.delete("general.alignment");
  for (const [key, value] of fileTypeEntries("f32")) twinMetadata.set(key, value);
  return writeGguf(outputPath, {
    metadata: twinMetadata,
    tensors: tensors.map((tensor) => ({ ...tensor, type: "f32" })),
  });
}
