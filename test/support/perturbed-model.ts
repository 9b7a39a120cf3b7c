import { readGguf } from "../../models/gguf/reader.js";
import { writeGguf } from "../../models/gguf/writer.js";
import { Random } from "../../models/random/random-choices.js";

/**
 * Writes a model whose matrices differ a little from another one's: of the same vocabulary, and
 * mostly of the same opinion.
 * @param share how far each value is moved at most, of itself
 */
export function writePerturbed(inputPath: string, outputPath: string, share: number): void {
  const { metadata, tensors } = readGguf(inputPath);
  const random = new Random(1);
  const moved = (value: number) => value * (1 + share * (2 * random.next() - 1));
  writeGguf(outputPath, {
    metadata,
    tensors: tensors.map((tensor) => ({
      ...tensor,
      *rows() {
        for (const values of tensor.rows()) yield values.map(moved);
      },
    })),
  });
}
