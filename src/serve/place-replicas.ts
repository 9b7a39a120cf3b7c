import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { GenerationModelSpec } from "../config/model-spec.js";
import type { MemoryUse } from "../core/memory-use.js";
import type { ReplicaPlacement } from "../core/replicas.js";
import { StartupError } from "../core/startup-error.js";
import { sumBy } from "../core/sum-by.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { KnownPlan } from "../engine/loading/known-plan.js";
import type { GpuChoice } from "../engine/native/llama-backend.js";
import { planInProcess } from "./plan-process.js";
import type { PlanReport } from "./plan-specs.js";

/** Placement of a replica, and the plan that it is loaded with. */
export interface PlacedReplica extends ReplicaPlacement {
  /** Sizes of the model's caches, which are equal in all replicas; absent: not planned yet. */
  readonly knownPlan?: KnownPlan;
  /** Backend of the replica's devices; absent: as configured. */
  readonly gpu?: GpuChoice;
}

/**
 * Places the replicas of a model, in order of their index. A model with several is planned in
 * advance, so that all of them have equal sizes and fit together.
 * @param otherModelsMemory memory that other models hold and that counts as free for this one
 * @returns at least one; `{}` for a model with one engine, and for a file that contains a pooling
 *   model
 * @throws {StartupError} the replicas do not fit, with the number that does
 */
export async function placeReplicas(
  spec: GenerationModelSpec,
  otherModelsMemory: MemoryUse,
): Promise<readonly PlacedReplica[]> {
  if (spec.replicas === 1) return [{}];
  const { report } = await planInProcess([{ ...spec, embeddings: false }], {
    memoryGiB: undefined,
    gpuMemoryGiB: undefined,
    otherModelsMemory,
  });
  return readPlacements(report);
}

/**
 * Returns the replicas of the planned model.
 * @throws {StartupError} as {@link placeReplicas}
 */
export function readPlacements({
  models: [model],
  gpu,
}: Pick<PlanReport, "models" | "gpu">): readonly PlacedReplica[] {
  if (model?.kind !== "generation") return [{}];
  const { shortage, wouldFit, replicas, files, plan } = model;
  if (shortage !== null) {
    const advice =
      wouldFit.length === 0 ? "" : `; it would fit with ${wouldFit.join(", or with ")}`;
    throw new StartupError(`model ${model.model}: ${shortage}${advice}`);
  }
  if (replicas.length === 1) return replicas;
  return replicas.map((placement) => ({
    ...placement,
    knownPlan: { files, plan },
    ...(placement.devices !== undefined && { gpu }),
  }));
}

/**
 * Derives the settings of each replica from those of its model. The budgets of evicted KV states
 * are divided, and each replica has a folder for them alone: a process reads the names of its states
 * only once.
 */
export function buildReplicaSettings(
  settings: EngineSettings,
  replicas: readonly PlacedReplica[],
): readonly EngineSettings[] {
  if (replicas.length === 1) return [settings];
  const threads = chooseThreads(settings, replicas);
  return replicas.map(({ devices, cores, gpu, knownPlan }, index) => ({
    ...settings,
    threads,
    ...(gpu !== undefined && { gpu }),
    ...(devices !== undefined && { placement: { ...settings.placement, devices } }),
    ...(cores !== undefined && { cores }),
    ...(knownPlan !== undefined && { knownPlan }),
    cacheRamMiB: divideBudget(settings.cacheRamMiB, replicas.length),
    cacheDiskMiB: divideBudget(settings.cacheDiskMiB, replicas.length),
    cacheDir: settings.cacheDir && findStateFolder(settings.cacheDir, index),
  }));
}

/** Returns a replica's part of a budget in MiB: at least 1, unless the budget is 0. */
function divideBudget(budgetMiB: number, replicas: number): number {
  return Math.min(budgetMiB, Math.max(1, Math.floor(budgetMiB / replicas)));
}

/** The first replica keeps the folder that a model without replicas has, with its states. */
function findStateFolder(cacheDir: string, index: number): string {
  return index === 0 ? cacheDir : join(cacheDir, `replica-${index}`);
}

/**
 * Returns the compute threads of each replica on CPUs. The cores that a replica is bound to limit
 * `auto` in its own process; a container's limit of CPU time, and a machine whose cores are not
 * listed, do not.
 */
function chooseThreads(
  { threads }: Pick<EngineSettings, "threads">,
  replicas: readonly PlacedReplica[],
): EngineSettings["threads"] {
  if (threads !== "auto" || replicas.some(({ devices }) => devices !== undefined)) return threads;
  const available = availableParallelism();
  const cores = sumBy(replicas, (replica) => replica.cores?.length ?? 0);
  if (cores > 0 && cores <= available) return "auto";
  return Math.max(1, Math.floor(available / replicas.length));
}
