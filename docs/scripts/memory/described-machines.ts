import type { MachineMemory } from "../../../src/engine/memory/machine-memory.js";

/** A machine as it is sold. */
export interface DescribedMachine {
  readonly memoryGiB: number;
  /** `undefined`: no GPU. */
  readonly gpuMemoryGiB: number | undefined;
}

/** From a laptop to a server. */
export const machines: readonly DescribedMachine[] = [
  { memoryGiB: 16, gpuMemoryGiB: undefined },
  { memoryGiB: 32, gpuMemoryGiB: 12 },
  { memoryGiB: 64, gpuMemoryGiB: 12 },
  { memoryGiB: 32, gpuMemoryGiB: 24 },
  { memoryGiB: 64, gpuMemoryGiB: 24 },
  { memoryGiB: 128, gpuMemoryGiB: 80 },
];

/** Memory used by the system and other programs, in GiB. */
export const OCCUPIED_GIB = 2;
/** GPU memory used by the system and other programs, in GiB. */
export const OCCUPIED_GPU_GIB = 0.5;

const GIB = 2 ** 30;

/** A described machine in the planner's terms. */
export function memoryOf({ memoryGiB, gpuMemoryGiB }: DescribedMachine): MachineMemory {
  const gpuBytes = gpuMemoryGiB === undefined ? 0 : (gpuMemoryGiB - OCCUPIED_GPU_GIB) * GIB;
  return {
    free: { cpuBytes: (memoryGiB - OCCUPIED_GIB) * GIB, gpuBytes },
    totalCpuBytes: memoryGiB * GIB,
    gpu: gpuMemoryGiB === undefined ? "none" : "separate",
  };
}
