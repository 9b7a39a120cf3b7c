import { tensorTypes } from "../../../models/gguf/tensor-types.js";
import type { LlamaShape } from "../../../models/random/shapes.js";
import type { Weight } from "../../../models/random/weights.js";

/** A tensor type of ggml: its id in a file, and the elements and bytes of one block. */
export interface BlockType {
  readonly id: number;
  readonly blockElements: number;
  readonly blockBytes: number;
}

const q4K: BlockType = { id: 12, blockElements: 256, blockBytes: 144 };
const q6K: BlockType = { id: 14, blockElements: 256, blockBytes: 210 };

/** How each quantisation stores a matrix. */
const typesOfMatrices = {
  Q4_K_M: (name: string, shape: LlamaShape) => (isSensitive(name, shape) ? q6K : q4K),
  Q8_0: () => tensorTypes.q8_0,
} as const;

/** The name of a quantisation, e.g. `"Q4_K_M"`. */
export type Quantisation = keyof typeof typesOfMatrices;

export const quantisations = Object.keys(typesOfMatrices) as Quantisation[];

/** The type in which a quantised model stores a weight, as llama.cpp's `llama-quantize` chooses it. */
export function typeOf(weight: Weight, shape: LlamaShape, quantisation: Quantisation): BlockType {
  const isQuantised = weight.kind === "gaussian" && weight.storage === "model type";
  return isQuantised ? typesOfMatrices[quantisation](weight.name, shape) : tensorTypes.f32;
}

/**
 * Whether Q4_K_M gives a matrix six bits rather than four: the output, and in half of the layers the
 * values and the last feed-forward matrix (`use_more_bits` in llama.cpp's `llama-quant.cpp`).
 */
function isSensitive(name: string, { layers, hasOwnOutput = false }: LlamaShape): boolean {
  if (name === (hasOwnOutput ? "output.weight" : "token_embd.weight")) return true;
  const [, number] = /^blk\.(\d+)\.(?:attn_v|ffn_down|ffn_down_exps)\.weight$/.exec(name) ?? [];
  if (number === undefined) return false;
  const layer = Number(number);
  const eighth = Math.floor(layers / 8);
  const isInside = layer >= eighth && layer < Math.floor((7 * layers) / 8);
  return !isInside || (layer - eighth) % 3 === 2;
}
