import { type LlamaShape, shapes } from "../../../models/random/shapes.js";

/** A well-known model, by the sizes that determine its memory. */
export interface DescribedModel {
  readonly name: string;
  readonly shape: LlamaShape;
}

/** In the order of their weights; all of them in the Llama architecture's terms. */
export const models: readonly DescribedModel[] = [
  { name: "Llama 3.2 1B", shape: shapes["1b"] },
  { name: "Llama 3.2 3B", shape: shapes["3b"] },
  { name: "Llama 3.1 8B", shape: shapes["8b"] },
  {
    name: "Qwen3 30B-A3B",
    shape: {
      architecture: "llama",
      layers: 48,
      width: 2048,
      feedForward: 768,
      experts: { count: 128, used: 8 },
      // The model has twice as many: 1 % of its weights, and nothing of its cache.
      heads: 16,
      keyValueHeads: 4,
      vocabularySize: 151_936,
      contextLength: 40_960,
      ropeBase: 1_000_000,
      hasOwnOutput: true,
    },
  },
  {
    name: "Qwen2.5 32B",
    shape: {
      architecture: "llama",
      layers: 64,
      width: 5120,
      feedForward: 27_648,
      heads: 40,
      keyValueHeads: 8,
      vocabularySize: 152_064,
      contextLength: 32_768,
      ropeBase: 1_000_000,
      hasOwnOutput: true,
    },
  },
  {
    name: "Llama 3.3 70B",
    shape: { ...shapes["8b"], layers: 80, width: 8192, feedForward: 28_672, heads: 64 },
  },
];
