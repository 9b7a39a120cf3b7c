import type { Llama } from "node-llama-cpp";
import { type MemoryUse, subtractMemory } from "../../core/memory-use.js";
import { attachCompanion } from "../native/companion/attach-companion.js";
import { canOffload } from "../native/llama-backend.js";
import { type PlacementSettings, selectGpus, usesWorkers } from "../native/placement.js";
import { readCpuMemory } from "./cpu-memory.js";

export interface MachineMemory {
  /** Currently free memory. Cached pages of files count as free. */
  readonly free: MemoryUse;
  /** Total memory of the computer, or the container's limit. */
  readonly totalCpuBytes: number;
  /**
   * `unified`: CPU and GPU share one memory, and `free` states it for both. The devices of workers
   * count as GPUs, with separate memory.
   */
  readonly gpu: "none" | "separate" | "unified";
}

/** Reads the memory of this machine and of the devices that the model may use. */
export async function readMachineMemory(
  llama: Llama,
  placement: PlacementSettings,
): Promise<MachineMemory> {
  const cpu = readCpuMemory();
  if (!canOffload(llama)) {
    return { ...cpu, free: { cpuBytes: cpu.freeBytes, gpuBytes: 0 }, gpu: "none" };
  }
  const { free, unifiedSize } = await llama.getVramState();
  return {
    ...cpu,
    free: {
      cpuBytes: cpu.freeBytes,
      gpuBytes: (await readFreeOfChosenGpus(llama, placement)) ?? free,
    },
    gpu: unifiedSize > 0 && !usesWorkers(placement) ? "unified" : "separate",
  };
}

/** Returns the free memory of the selected devices; `undefined` if none are selected. */
async function readFreeOfChosenGpus(
  llama: Llama,
  placement: PlacementSettings,
): Promise<number | undefined> {
  const companion = await attachCompanion(llama);
  return selectGpus(placement, companion.devices())?.reduce(
    (sum, { freeBytes }) => sum + freeBytes,
    0,
  );
}

/** Subtracts the memory of other models from a machine's free memory. */
export function withoutOtherModels(otherMemory: MemoryUse, memory: MachineMemory): MachineMemory {
  return { ...memory, free: subtractMemory(memory.free, otherMemory) };
}
