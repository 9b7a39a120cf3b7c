import { addMemory, type MemoryUse } from "../../core/memory-use.js";
import type { PlacementSettings } from "../native/placement.js";
import type { MachineMemory } from "./machine-memory.js";
import { findModelsShortage } from "./memory-fit.js";
import { type MemoryPlan, type ModelParts, modelsOf, sumModelParts } from "./memory-plan.js";

/**
 * Whether replicas have weights in main memory in common: `common` if their files are mapped, of
 * which the system has one copy, else `separate`.
 */
export type WeightSharing = "common" | "separate";

/** Returns how replicas with this placement hold their weights in main memory. */
export function weightSharingOf({ loadMode = "auto" }: PlacementSettings): WeightSharing {
  return loadMode === "auto" || loadMode === "mmap" ? "common" : "separate";
}

/** Replicas of a model, of which each has a plan of these sizes. */
export interface PlannedReplicas {
  readonly plan: MemoryPlan;
  readonly count: number;
  readonly sharing: WeightSharing;
}

/**
 * Returns the memory that each of several replicas may plan with: an equal part, and all of the
 * weights in main memory that they have in common.
 * @param memory of the machine
 * @param weights of one replica
 * @param gpuBytes free memory of the replica's GPU for this replica
 */
export function divideMemory(
  memory: MachineMemory,
  { weights, count, sharing }: Omit<PlannedReplicas, "plan"> & { readonly weights: MemoryUse },
  gpuBytes = 0,
): MachineMemory {
  const { cpuBytes } = memory.free;
  const commonBytes = sharing === "common" ? Math.min(weights.cpuBytes, cpuBytes) : 0;
  const free = { cpuBytes: commonBytes + (cpuBytes - commonBytes) / count, gpuBytes };
  return { ...memory, free };
}

/** Returns the memory of all replicas of a model together. */
export function sumReplicas(replicas: PlannedReplicas): MemoryUse {
  return addMemory(partsOf(replicas).map(sumModelParts));
}

/**
 * Returns the reason why the replicas of a model do not fit into the main memory of a machine
 * together; `undefined` if they do.
 */
export function findReplicasShortage(
  replicas: PlannedReplicas,
  memory: MachineMemory,
): string | undefined {
  const free = { ...memory.free, gpuBytes: Number.POSITIVE_INFINITY };
  return findModelsShortage(partsOf(replicas), { ...memory, free });
}

/** Lists the parts of all replicas; weights that they have in common count once. */
function partsOf({ plan, count, sharing }: PlannedReplicas): readonly ModelParts[] {
  const first = modelsOf(plan);
  const further = first.map((model) => ({
    ...model,
    weights: sharing === "common" ? { ...model.weights, cpuBytes: 0 } : model.weights,
  }));
  return [...first, ...Array.from({ length: count - 1 }, () => further).flat()];
}
