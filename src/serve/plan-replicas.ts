import type { GenerationModelSpec } from "../config/model-spec.js";
import { addMemory } from "../core/memory-use.js";
import type { ReplicaPlacement } from "../core/replicas.js";
import { sumBy } from "../core/sum-by.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import { findLargestFitting } from "../engine/memory/cache-size.js";
import type { MachineMemory } from "../engine/memory/machine-memory.js";
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
import {
  type CoreSupply,
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

/** Resources for the replicas of a model. */
export interface ReplicaSupply extends Omit<CoreSupply, "threads"> {
  readonly memory: MachineMemory;
  readonly gpus: readonly PlannedGpu[];
}

/** Plans one engine with the given memory. */
type PlanEngine<Planned> = (settings: EngineSettings, memory: MachineMemory) => Promise<Planned>;

/** Plan of a generation model: the sizes of each replica, and its devices and cores. */
export interface ReplicasPlan<Planned> {
  /** One replica, planned with its part of the memory. */
  readonly planned: Planned;
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
 * Plans a generation model with its replicas: on GPUs if any layers are on them without replicas,
 * else on cores.
 * @param planEngine plans one engine, as for a model without replicas
 * @throws the errors of `planEngine`
 */
export async function planReplicas<Planned extends { readonly plan: MemoryPlan }>(
  planEngine: PlanEngine<Planned>,
  { replicas }: Pick<GenerationModelSpec, "replicas">,
  settings: EngineSettings,
  supply: ReplicaSupply,
): Promise<ReplicasPlan<Planned>> {
  const single = await planEngine(settings, supply.memory);
  if (replicas === 1 || findShortage(single.plan) !== undefined) {
    return { planned: single, placements: [{}] };
  }
  const weights = addMemory(modelsOf(single.plan).map((model) => model.weights));
  const sharing = weightSharingOf(settings.placement);
  const options: PlanOptions<Planned> = {
    replicas,
    settings,
    supply,
    single,
    planShare: ({ count, gpuBytes, placement }) =>
      planEngine(
        { ...settings, placement: { ...settings.placement, ...placement } },
        divideMemory(supply.memory, { weights, count, sharing }, gpuBytes),
      ),
  };
  const isOnCpu = single.plan.main.gpuLayers === 0 || supply.gpus.length === 0;
  return isOnCpu ? planOnCores(options) : planOnGpus(options);
}

interface PlanOptions<Planned> extends Pick<GenerationModelSpec, "replicas"> {
  readonly settings: EngineSettings;
  readonly supply: ReplicaSupply;
  /** The model without replicas. */
  readonly single: Planned;
  /** Plans one replica with its part of the memory. */
  readonly planShare: (share: Share) => Promise<Planned>;
}

interface Share {
  /** Number of replicas that divide the main memory. */
  readonly count: number;
  readonly gpuBytes: number;
  readonly placement: Pick<PlacementSettings, "devices">;
}

async function planOnCores<Planned extends { readonly plan: MemoryPlan }>(
  options: PlanOptions<Planned>,
): Promise<ReplicasPlan<Planned>> {
  const { replicas, settings, supply, single, planShare } = options;
  const cores = { ...supply, threads: settings.threads };
  const sharing = weightSharingOf(settings.placement);
  const planFor = memoize((count: number) => planShare({ count, gpuBytes: 0, placement: {} }));
  const findObstacle = async (count: number) =>
    findReplicasShortage({ plan: (await planFor(count)).plan, count, sharing }, supply.memory);
  const choice = placeOnCores(replicas, cores);
  if ("obstacle" in choice) return refuse(single, choice);
  const count = choice.placements.length;
  if (count === 1) return { planned: single, ...choice };
  const fitting = await findLargestFitting(
    { min: 1, max: count },
    async (number) => (await findObstacle(number)) === undefined,
  );
  if (fitting === count) return { planned: await planFor(count), ...choice };
  if (replicas !== "auto") {
    const shortage = await findObstacle(count);
    return refuse(single, { obstacle: `--replicas ${count}: ${shortage}`, fitting });
  }
  const fewer = placeOnCores(fitting, cores);
  if ("obstacle" in fewer) return refuse(single, fewer);
  return { planned: fitting === 1 ? single : await planFor(fitting), ...fewer };
}

async function planOnGpus<Planned extends { readonly plan: MemoryPlan }>(
  options: PlanOptions<Planned>,
): Promise<ReplicasPlan<Planned>> {
  const { replicas, settings, supply, single, planShare } = options;
  const { gpus } = supply;
  const count = replicas === "auto" ? gpus.length : replicas;
  const planOn = memoize(({ name, freeBytes }: PlannedGpu) =>
    memoize((sharers: number) => {
      const placement = name === undefined ? {} : { devices: [name] };
      return planShare({ count, gpuBytes: freeBytes / sharers, placement });
    }),
  );
  const countFitting = async (max: number) => {
    const capacities: GpuCapacity[] = [];
    for (const gpu of gpus) {
      const fits = async (sharers: number) => isWhole((await planOn(gpu)(sharers)).plan, settings);
      const replicas = await findLargestFitting({ min: 0, max }, fits);
      capacities.push({ name: nameOf(gpu), replicas });
    }
    return capacities;
  };
  // The common case, as many as fit evenly, takes one plan for each GPU.
  let choice = placeOnGpus(replicas, await countFitting(Math.ceil(count / gpus.length)));
  if ("obstacle" in choice) choice = placeOnGpus(replicas, await countFitting(count));
  if ("obstacle" in choice) return refuse(single, choice);
  const { placements } = choice;
  if (placements.length === 1) return { planned: single, placements };
  const shares = gpus.flatMap((gpu) => {
    const sharers = placements.filter(({ devices }) => devices?.includes(nameOf(gpu))).length;
    return sharers === 0 ? [] : [{ gpu, sharers, bytes: gpu.freeBytes / sharers }];
  });
  const [smallest] = shares.toSorted((one, other) => one.bytes - other.bytes);
  const planned = smallest && (await planOn(smallest.gpu)(smallest.sharers));
  return { planned: planned ?? single, placements };
}

function nameOf({ name = DESCRIBED_GPU }: PlannedGpu): string {
  return name;
}

/** Whether a plan has all layers on the GPU, or as many as are configured. */
function isWhole(plan: MemoryPlan, { gpuLayers }: Pick<EngineSettings, "gpuLayers">): boolean {
  const { main } = plan;
  return (
    findShortage(plan) === undefined && (gpuLayers !== "auto" || main.gpuLayers === main.layers)
  );
}

function refuse<Planned>(planned: Planned, refusal: ReplicaRefusal): ReplicasPlan<Planned> {
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
