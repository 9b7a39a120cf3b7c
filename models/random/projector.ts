import { type GgufContent, parameterCount } from "../gguf/content.js";
import { bool, type Metadata, text } from "../gguf/metadata.js";
import { writeGguf } from "../gguf/writer.js";
import { gemma3ProjectorMetadata, gemma3ProjectorWeights } from "./gemma3-projector.js";
import { generalEntries } from "./general-entries.js";
import type { RandomContentOptions, RandomModel, RandomModelOptions } from "./generate.js";
import { pixtralProjectorMetadata, pixtralProjectorWeights } from "./pixtral-projector.js";
import { type ProjectorName, type ProjectorShape, projectorShapes } from "./projector-shapes.js";
import { qwen25vlProjectorMetadata, qwen25vlProjectorWeights } from "./qwen25vl-projector.js";
import { assertSeed } from "./random-stream.js";
import { ultravoxProjectorMetadata, ultravoxProjectorWeights } from "./ultravox-projector.js";
import { toTensor, type Weight } from "./weights.js";

/** Options of {@link randomProjectorContent}. */
export interface RandomProjectorContentOptions extends Pick<RandomContentOptions, "type" | "seed"> {
  readonly shape: ProjectorName;
}

/** Options of {@link generateRandomProjector}. */
export type RandomProjectorOptions = RandomProjectorContentOptions &
  Pick<RandomModelOptions, "path" | "onProgress">;

/**
 * Writes a projector with random weights, as read by llama.cpp's libmtmd: an encoder of images or
 * audio, whose output has the size of a random text model's token embeddings and determines the
 * model's answers.
 * @throws InputError naming the invalid option
 */
export function generateRandomProjector(options: RandomProjectorOptions): RandomModel {
  const { path, onProgress } = options;
  const content = randomProjectorContent(options);
  const sizeBytes = writeGguf(path, content, onProgress);
  return { path, parameters: parameterCount(content.tensors), sizeBytes };
}

/**
 * The content of the file that {@link generateRandomProjector} writes.
 *
 * @throws InputError naming the invalid option
 */
export function randomProjectorContent(options: RandomProjectorContentOptions): GgufContent {
  const { shape: name, type, seed } = options;
  assertSeed(seed);
  const shape: ProjectorShape = projectorShapes[name];
  const { sense, keys, weights } = projectorOf(shape);
  const tensors = weights.map((weight) => toTensor(weight, type, seed));
  const metadata: Metadata = new Map([
    ...generalEntries({ architecture: "clip", kind: "mmproj", name, type, seed, tensors }),
    [`clip.has_${sense}_encoder`, bool(true)],
    ["clip.projector_type", text(shape.projector)],
    ...keys,
  ]);
  return { metadata, tensors };
}

/** Architecture-specific content of a file. */
interface Projector {
  readonly sense: "vision" | "audio";
  readonly keys: Metadata;
  readonly weights: readonly Weight[];
}

function projectorOf(shape: ProjectorShape): Projector {
  switch (shape.projector) {
    case "gemma3":
      return {
        sense: "vision",
        keys: gemma3ProjectorMetadata(shape),
        weights: gemma3ProjectorWeights(shape),
      };
    case "pixtral":
      return {
        sense: "vision",
        keys: pixtralProjectorMetadata(shape),
        weights: pixtralProjectorWeights(shape),
      };
    case "qwen2.5vl_merger":
      return {
        sense: "vision",
        keys: qwen25vlProjectorMetadata(shape),
        weights: qwen25vlProjectorWeights(shape),
      };
    case "ultravox":
      return {
        sense: "audio",
        keys: ultravoxProjectorMetadata(shape),
        weights: ultravoxProjectorWeights(shape),
      };
  }
}
