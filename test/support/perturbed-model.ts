import { readGguf } from "../../models/gguf/reader.js";
import { writeGguf } from "../../models/gguf/writer.js";
import { Random } from "../../models/random/random-choices.js";

/**
 * Writes a copy of a model with slightly perturbed weights: same vocabulary, mostly the same
 * predictions.
 * @param maxRelativeChange of each weight
 */
export function writePerturbed(
  inputPath: string,
  outputPath: string,
  maxRelativeChange: number,
): void {
  const { metadata, tensors } = readGguf(inputPath);
  const random = new Random(1);
  const perturbed = (value: number) => value * (1 + maxRelativeChange * (2 * random.next() - 1));
  writeGguf(outputPath, {
    metadata,
    tensors: tensors.map((tensor) => ({
      ...tensor,
      *rows() {
        for (const values of tensor.rows()) yield values.map(perturbed);
      },
    })),
  });
}
