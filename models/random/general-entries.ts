import { type GgufTensor, parameterCount } from "../gguf/content.js";
import { fileTypeEntries } from "../gguf/file-type.js";
import { type MetadataValue, text } from "../gguf/metadata.js";
import type { TensorType } from "../gguf/tensor-types.js";

/** Description of a file with random weights. */
interface GeneralDescription {
  readonly architecture: string;
  readonly kind: "model" | "mmproj";
  /** Name of the shape. */
  readonly name: string;
  readonly type: TensorType;
  readonly seed: number;
  readonly tensors: readonly GgufTensor[];
}

/** `general.*` entries of a file with random weights. */
export function generalEntries(description: GeneralDescription): [string, MetadataValue][] {
  const { architecture, kind, name, type, seed, tensors } = description;
  return [
    ["general.architecture", text(architecture)],
    ["general.type", text(kind)],
    ["general.name", text(`ggufd random ${name}`)],
    ["general.description", text(`Random weights of seed ${seed}, for tests and measurements`)],
    ["general.author", text("ggufd")],
    ["general.license", text("MIT")],
    ["general.size_label", text(sizeLabel(parameterCount(tensors)))],
    ...fileTypeEntries(type),
  ];
}

/** Parameter count in the form of `general.size_label`, e.g. `135M` or `1.2B`. */
function sizeLabel(parameters: number): string {
  if (parameters < 1e6) return `${Math.round(parameters / 1e3)}K`;
  return parameters < 1e9
    ? `${Math.round(parameters / 1e6)}M`
    : `${(parameters / 1e9).toFixed(1)}B`;
}
