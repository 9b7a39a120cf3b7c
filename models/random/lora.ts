import { InputError } from "../command-line/input-error.js";
import type { GgufContent } from "../gguf/content.js";
import { f32, type Metadata, text, u32s } from "../gguf/metadata.js";
import { writeGguf } from "../gguf/writer.js";
import { randomModelContent } from "./generate.js";
import { type ShapeName, shapes } from "./shapes.js";
import { matrix, toTensor, type Weight } from "./weights.js";

/** Options of {@link generateRandomLora}. */
export interface RandomLoraOptions {
  readonly path: string;
  /** Shape of the base model. */
  readonly shape: ShapeName;
  readonly rank: number;
  /** An integer from 0 to 2^32 - 1. Equal options give equal files, byte for byte. */
  readonly seed: number;
  /**
   * The adapter's output is multiplied by `alpha / rank`.
   * @default rank
   */
  readonly alpha?: number;
  /**
   * Tokens from which the adapter applies (activated LoRA).
   * @default from the beginning
   */
  readonly invocationTokens?: readonly number[];
}

/** Layer matrices that adapters usually change. */
const CHANGED = /^blk\.\d+\.(?:attn_(?:q|k|v|output)|ffn_(?:gate|up|down))\.weight$/;

/**
 * Writes a LoRA adapter with random matrices for a random model of a shape, as llama.cpp's
 * converter does. It changes the model's output from the first token on.
 * @throws InputError naming the invalid option
 */
export function generateRandomLora({ path, ...options }: RandomLoraOptions): void {
  writeGguf(path, randomLoraContent(options));
}

/** Content of the file that {@link generateRandomLora} writes. */
export function randomLoraContent({
  shape: name,
  rank,
  seed,
  alpha = rank,
  invocationTokens = [],
}: Omit<RandomLoraOptions, "path">): GgufContent {
  if (!Number.isInteger(rank) || rank < 1) {
    throw new InputError(`rank: expected an integer of at least 1, got ${rank}`);
  }
  const { tensors } = randomModelContent({ shape: name, type: "f32", seed });
  const changed = tensors.filter((tensor) => CHANGED.test(tensor.name));
  const weights = changed.flatMap(({ name: weight, shape: [inputs = 0, outputs = 0] }) => [
    matrix(`${weight}.lora_a`, inputs, rank),
    // The product of both has about the standard deviation of the matrix that it is added to.
    matrix(`${weight}.lora_b`, rank, outputs),
  ]);
  const metadata: Metadata = new Map([
    ["general.architecture", text(shapes[name].architecture)],
    ["general.type", text("adapter")],
    ["general.name", text(`ggufd random LoRA ${name}`)],
    ["adapter.type", text("lora")],
    ["adapter.lora.alpha", f32(alpha)],
    ...(invocationTokens.length === 0
      ? []
      : [["adapter.alora.invocation_tokens", u32s(invocationTokens)] as const]),
  ]);
  const stored = (weight: Weight) => toTensor(weight, "f32", seed);
  return { metadata, tensors: weights.map(stored) };
}
