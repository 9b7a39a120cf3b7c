import type { MachineMemory } from "../memory/machine-memory.js";
import type { MemorySettings, ModelParts } from "../memory/memory-plan.js";
import { inBinaryUnits } from "../memory/memory-use.js";

/**
 * Why a model that was planned for a device had better be computed on the CPU; `undefined`: nothing speaks for it. Who
 * says how many layers go to a GPU wants them there, and is told if they do not fit.
 */
export function deviceObstacle(
  { gpuLayers: configured }: Pick<MemorySettings, "gpuLayers">,
  { gpuLayers }: Pick<ModelParts, "gpuLayers">,
  { free }: Pick<MachineMemory, "free">,
): string | undefined {
  if (configured !== "auto" || gpuLayers > 0) return undefined;
  return `${inBinaryUnits(free.gpuBytes)} of its memory are free, in which no layer of the model fits`;
}
