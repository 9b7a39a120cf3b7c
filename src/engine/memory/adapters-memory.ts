import { type MemoryUse, sumOf } from "../../core/memory-use.js";
import type { ModelParts } from "./memory-plan.js";
import { type ModelEstimates, splitByLayers } from "./model-estimates.js";

/** What LoRA adapters take: each of their matrices lies where the layer does that it changes. */
export function adapterUse(
  bytes: number,
  { gpuLayers, layers }: Pick<ModelParts, "gpuLayers" | "layers">,
): MemoryUse {
  return splitByLayers(bytes, gpuLayers / layers);
}

/**
 * A model with LoRA adapters, which no dry run tells. They are counted with its context: unlike weights on the CPU they are
 * not mapped from their files.
 * @param bytes of all of them
 */
export function withAdapters(model: ModelEstimates, bytes: number): ModelEstimates {
  const { layers } = model;
  return {
    ...model,
    async context(gpuLayers, options): Promise<MemoryUse> {
      const adapters = adapterUse(bytes, { gpuLayers, layers });
      return sumOf([await model.context(gpuLayers, options), adapters]);
    },
  };
}
