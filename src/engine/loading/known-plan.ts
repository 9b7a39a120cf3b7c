import { isDeepStrictEqual } from "node:util";
import type { MachineMemory } from "../memory/machine-memory.js";
import { shortageOf } from "../memory/memory-fit.js";
import type { MemoryPlan } from "../memory/memory-plan.js";
import type { InspectedModel } from "./inspected-model.js";

/** A file at some time. */
export type FileStamp = Pick<InspectedModel, "path" | "sizeBytes" | "modifiedMs">;

/** What models were loaded with. Plain data. */
export interface KnownPlan {
  readonly files: readonly FileStamp[];
  readonly plan: MemoryPlan;
}

export function stampOf({ path, sizeBytes, modifiedMs }: FileStamp): FileStamp {
  return { path, sizeBytes, modifiedMs };
}

/**
 * The plan of an earlier load with the same settings, so that a model that comes again has the context that it had, and nobody
 * waits until it is planned: as long as the files are the same, and what it takes is free.
 * @param memory of now
 */
export function planAgain(
  known: KnownPlan | undefined,
  files: readonly FileStamp[],
  memory: MachineMemory,
): MemoryPlan | undefined {
  if (known === undefined || !isDeepStrictEqual(known.files, files)) return undefined;
  if (known.plan.memory.gpu !== memory.gpu) return undefined;
  const plan = { ...known.plan, memory };
  return shortageOf(plan) === undefined ? plan : undefined;
}
