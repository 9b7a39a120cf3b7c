import { availableParallelism } from "node:os";
import type { GenerationModelSpec } from "../config/model-spec.js";
import { addMemory } from "../core/memory-use.js";
import type { ReplicaPlacement } from "../core/replicas.js";
import { sumBy } from "../core/sum-by.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import { type PlannedModels, planModels } from "../engine/loading/planned-models.js";
import type { MachineMemory } from "../engine/memory/machine-memory.js";
import { findLargestFitting } from "../engine/memory/cache-size.js";
import { findShortage } from "../engine/memory/memory-fit.js";
import { type MemoryPlan, modelsOf } from "../engine/memory/memory-plan.js";
import {
  divideMemory,
  findReplicasShortage,
  weightSharingOf,
} from "../engine/memory/replica-memory.js";
import { attachCompanion } from "../engine/native/companion/attach-companion.js";
import type { Backend } from "../engine/native/llama-backend.js";
import { type PlacementSettings, selectGpus } from "../engine/native/placement.js";
import { readNumaNodes } from "../engine/threads/numa-nodes.js";
import {
  type GpuCapacity,
  placeOnCores,
  placeOnGpus,
  type ReplicaRefusal,
} from "./replica-placements.js";

/** GPU with the memory that models may use. */
export interface PlannedGpu {
  /** Name as in `--device`; absent for a described GPU, which this machine lacks. */
  readonly name?: string;
  readonly freeBytes: number;
}

/** Plan of a generation model: the sizes of each replica, and its devices and cores. */
export interface ReplicasPlan {
  /** One replica, planned with its part of the memory. */
  readonly planned: PlannedModels;
  readonly placements: readonly ReplicaPlacement[];
  /** Why the configured number of replicas cannot be carried out; absent: it can. */
  readonly refusal?: ReplicaRefusal;
}

/** Name of a described GPU in messages. */
const DESCRIBED_GPU = "the GPU";

/**
 * Lists the GPUs that a model may use, with the machine's free GPU memory: this machine's memory as
 * it is free on each, a described amount in proportion to their sizes.
 */
export async function listPlannedGpus(
  llama: Backend,
  placement: PlacementSettings,
  { memory, origin }: { readonly memory: MachineMemory; readonly origin: "measured" | "described" },
): Promise<readonly PlannedGpu[]> {
  const { gpuBytes } = memory.free;
  if (llama.gpu === false) return memory.gpu === "none" ? [] : [{ freeBytes: gpuBytes }];
  const devices = (await attachCompanion(llama)).devices();
  const gpus = selectGpus(placement, devices) ?? devices.filter(({ isGpu }) => isGpu);
  const sizeOf = ({ freeBytes, totalBytes }: (typeof gpus)[number]) =>
    origin === "measured" ? freeBytes : totalBytes;
  const sum = sumBy(gpus, sizeOf);
  return gpus.map((gpu) => ({ name: gpu.name, freeBytes: (gpuBytes * sizeOf(gpu)) / sum }));
}

/**
 * Plans a generation model with its replicas.
 * @param memory of the machine, for all replicas
 * @throws {StartupError} if the model cannot be read
 */
export async function planReplicas(
  llama: Backend,
  { replicas }: Pick<GenerationModelSpec, "replicas">,
  settings: EngineSettings,
  { memory, gpus }: { readonly memory: MachineMemory; readonly gpus: readonly PlannedGpu[] },
): Promise<ReplicasPlan> {
  const single = await planModels(llama, settings, memory);
  const asConfigured: ReplicasPlan = { planned: single, placements: [{}] };
  if (replicas === 1 || findShortage(single.plan) !== undefined) return asConfigured;
  const options = { llama, replicas, settings, memory, single };
  return single.plan.main.gpuLayers === 0 || gpus.length === 0
    ? planOnCores(options)
    : planOnGpus(options, gpus);
}

interface PlanOptions extends Pick<GenerationModelSpec, "replicas"> {
  readonly llama: Backend;
  readonly settings: EngineSettings;
  readonly memory: MachineMemory;
  /** The model without replicas. */
  readonly single: PlannedModels;
}

async function planOnCores(options: PlanOptions): Promise<ReplicasPlan> {
  const { replicas, settings, single, memory } = options;
  const supply = {
    nodes: readNumaNodes(),
    parallelism: availableParallelism(),
    threads: settings.threads,
  };
  const sharing = weightSharingOf(settings.placement);
  const plan = memoize((count: number) => planShare(options, { count, settings, gpuBytes: 0 }));
  const findObstacle = async (count: number) =>
    findReplicasShortage({ plan: (await plan(count)).plan, count, sharing }, memory);
  const choice = placeOnCores(replicas, supply);
  if ("obstacle" in choice) return refuse(single, choice);
  const count = choice.placements.length;
  if (count === 1) return { planned: single, ...choice };
  const fitting = await findLargestFitting(
    { min: 1, max: count },
    async (number) => (await findObstacle(number)) === undefined,
  );
  if (fitting === count) return { planned: await plan(count), ...choice };
  if (replicas !== "auto") {
    const shortage = await findObstacle(count);
    return refuse(single, { obstacle: `--replicas ${count}: ${shortage}`, fitting });
  }
  const fewer = placeOnCores(fitting, supply);
  if ("obstacle" in fewer) return refuse(single, fewer);
  return { planned: fitting === 1 ? single : await plan(fitting), ...fewer };
}

async function planOnGpus(
  options: PlanOptions,
  gpus: readonly PlannedGpu[],
): Promise<ReplicasPlan> {
  const { replicas, settings, single } = options;
  const count = replicas === "auto" ? gpus.length : replicas;
  const planOn = memoize((gpu: PlannedGpu) =>
    memoize((sharers: number) =>
      planShare(options, {
        count,
        settings: withDevice(settings, gpu),
        gpuBytes: gpu.freeBytes / sharers,
      }),
    ),
  );
  const countFitting = (max: number) =>
    mapInTurn(gpus, async (gpu): Promise<GpuCapacity> => {
      const replicas = await findLargestFitting({ min: 0, max }, async (sharers) =>
        isWhole((await planOn(gpu)(sharers)).plan, settings),
      );
      return { name: gpu.name ?? DESCRIBED_GPU, replicas };
    });
  // The common case, as many as fit evenly, takes one plan for each GPU.
  let choice = placeOnGpus(replicas, await countFitting(Math.ceil(count / gpus.length)));
  if ("obstacle" in choice) choice = placeOnGpus(replicas, await countFitting(count));
  if ("obstacle" in choice) return refuse(single, choice);
  const { placements } = choice;
  if (placements.length === 1) return { planned: single, placements };
  const uses = gpus
    .map((gpu) => ({ gpu, sharers: countOn(placements, gpu) }))
    .filter(({ sharers }) => sharers > 0);
  const [tightest] = uses.toSorted(
    (one, other) => one.gpu.freeBytes / one.sharers - other.gpu.freeBytes / other.sharers,
  );
  return {
    planned: tightest === undefined ? single : await planOn(tightest.gpu)(tightest.sharers),
    placements,
  };
}

function countOn(placements: readonly ReplicaPlacement[], { name = DESCRIBED_GPU }: PlannedGpu) {
  return placements.filter(({ devices = [] }) => devices.includes(name)).length;
}

/** Whether a plan has all layers on the GPU, or as many as are configured. */
function isWhole(plan: MemoryPlan, { gpuLayers }: Pick<EngineSettings, "gpuLayers">): boolean {
  const { main } = plan;
  return findShortage(plan) === undefined && (gpuLayers !== "auto" || main.gpuLayers === main.layers);
}

function withDevice(settings: EngineSettings, { name }: PlannedGpu): EngineSettings {
  if (name === undefined) return settings;
  return { ...settings, placement: { ...settings.placement, devices: [name] } };
}

interface Share {
  /** Number of replicas that divide the main memory. */
  readonly count: number;
  readonly settings: EngineSettings;
  readonly gpuBytes: number;
}

/** Plans one replica with its part of the memory. */
function planShare(
  { llama, memory, single }: PlanOptions,
  { count, settings, gpuBytes }: Share,
): Promise<PlannedModels> {
  const weights = addMemory(modelsOf(single.plan).map((model) => model.weights));
  const sharing = weightSharingOf(settings.placement);
  return planModels(llama, settings, divideMemory(memory, { weights, count, sharing }, gpuBytes));
}

function refuse(planned: PlannedModels, refusal: ReplicaRefusal): ReplicasPlan {
  return { planned, placements: [{}], refusal };
}

function memoize<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const value = values.get(key) ?? compute(key);
    values.set(key, value);
    return value;
  };
}

/** Maps items one after the other: native estimates of one library do not run concurrently. */
async function mapInTurn<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await map(item));
  return results;
}
