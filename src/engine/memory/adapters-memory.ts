import { addMemory, type MemoryUse } from "../../core/memory-use.js";
import type { ModelParts } from "./memory-plan.js";
import { type ModelEstimates, splitByLayers } from "./model-estimates.js";

/**
 * Returns the memory of LoRA adapters. Each matrix is stored on the device of the layer that it
 * changes.
 */
export function splitAdapterMemory(
  bytes: number,
  { gpuLayers, layers }: Pick<ModelParts, "gpuLayers" | "layers">,
): MemoryUse {
  return splitByLayers(bytes, gpuLayers / layers);
}

/**
 * Adds LoRA adapters to a model's estimates; dry runs do not include them. They count towards its
 * context, because unlike weights on the CPU they are not mapped from their files.
 * @param bytes total size of the adapters
 */
export function withAdapters(model: ModelEstimates, bytes: number): ModelEstimates {
  const { layers } = model;
  return {
    ...model,
    async context(gpuLayers, options): Promise<MemoryUse> {
      const adapters = splitAdapterMemory(bytes, { gpuLayers, layers });
      return addMemory([await model.context(gpuLayers, options), adapters]);
    },
  };
}
