import { isDeepStrictEqual } from "node:util";
import type { MachineMemory } from "../memory/machine-memory.js";
import { findShortage } from "../memory/memory-fit.js";
import type { MemoryPlan } from "../memory/memory-plan.js";
import type { InspectedModel } from "./inspected-model.js";

/** Identifies the version of a file. */
export type FileStamp = Pick<InspectedModel, "path" | "sizeBytes" | "modifiedMs">;

/** The files and plan of an earlier load. Plain data. */
export interface KnownPlan {
  readonly files: readonly FileStamp[];
  readonly plan: MemoryPlan;
}

export function stampOf({ path, sizeBytes, modifiedMs }: FileStamp): FileStamp {
  return { path, sizeBytes, modifiedMs };
}

/**
 * Reuses the plan of an earlier load with the same settings, provided that the files are unchanged
 * and the memory it takes is free. A reloaded model then keeps its context size, and loads without
 * being planned again.
 * @param memory the current memory
 */
export function reuseKnownPlan(
  knownPlan: KnownPlan | undefined,
  files: readonly FileStamp[],
  memory: MachineMemory,
): MemoryPlan | undefined {
  if (knownPlan === undefined || !isDeepStrictEqual(knownPlan.files, files)) return undefined;
  if (knownPlan.plan.memory.gpu !== memory.gpu) return undefined;
  const plan = { ...knownPlan.plan, memory };
  return findShortage(plan) === undefined ? plan : undefined;
}
