import { availableParallelism } from "node:os";
import {
  asPooling,
  compareLoadOrder,
  type GenerationModelSpec,
  type ModelSpec,
  type PoolingModelSpec,
} from "../config/model-spec.js";
import { type MemoryUse, NO_MEMORY } from "../core/memory-use.js";
import type { ReplicaPlacement } from "../core/replicas.js";
import { OtherKindError } from "../core/startup-error.js";
import { describeRejectedBackend, openBackend } from "../engine/devices/choose-backend.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { FileStamp } from "../engine/loading/known-plan.js";
import { planModels } from "../engine/loading/planned-models.js";
import {
  type PoolingModelSettings,
  planPoolingModel,
} from "../engine/loading/planned-pooling-model.js";
import type { CacheSize } from "../engine/memory/cache-size.js";
import {
  type MachineMemory,
  readMachineMemory,
  withoutOtherModels,
} from "../engine/memory/machine-memory.js";
import {
  findFittingFlags,
  findFittingSizes,
  findModelsShortage,
  findShortage,
} from "../engine/memory/memory-fit.js";
import { type MemoryPlan, sumModelParts } from "../engine/memory/memory-plan.js";
import type { PoolingPlan } from "../engine/memory/pooling-plan.js";
import { sumReplicas, weightSharingOf } from "../engine/memory/replica-memory.js";
import {
  type Backend,
  type BackendChoice,
  describeDevice,
  type GpuChoice,
} from "../engine/native/llama-backend.js";
import { readNumaNodes } from "../engine/threads/numa-nodes.js";
import {
  buildEngineSettings,
  buildPoolingSettings,
  buildProbedModel,
} from "./build-engine-settings.js";
import { listPlannedGpus, planReplicas, type ReplicaSupply } from "./plan-replicas.js";
import type { ReplicaRefusal } from "./replica-placements.js";

/** Memory of the machine to plan for; absent values are this machine's. */
export interface DescribedMachine {
  /** Free main memory, in GiB; `undefined`: this machine's. */
  readonly memoryGiB: number | undefined;
  /** Free GPU memory, in GiB; `undefined`: this machine's, if it has a GPU. */
  readonly gpuMemoryGiB: number | undefined;
  /** Memory of loaded models that counts as free. @default none */
  readonly otherModelsMemory?: MemoryUse;
}

/** Planned memory of the models, in loading order. Plain data. */
export interface PlanReport {
  readonly device: string;
  readonly gpu: BackendChoice;
  /** Free memory before the first model is loaded. */
  readonly free: MemoryUse;
  /** Better devices that are not used, with the reasons. */
  readonly passedOver: readonly string[];
  readonly models: readonly ModelReport[];
}

/** Memory plan of a model, with its consequences for the operator. */
export type ModelReport = GenerationReport | PoolingReport;

interface GenerationReport {
  readonly kind: "generation";
  readonly model: string;
  /** All files of the model. */
  readonly files: readonly FileStamp[];
  /** Plan of each replica. */
  readonly plan: MemoryPlan;
  readonly replicas: readonly ReplicaPlacement[];
  /** Memory of all replicas. */
  readonly memory: MemoryUse;
  /** Limitations of a plan that can be carried out. */
  readonly warnings: readonly string[];
  /** Why the plan cannot be carried out; `null`: it can. */
  readonly shortage: string | null;
  /** Flags each of which alone makes the plan fit. */
  readonly wouldFit: readonly string[];
  /** Maximum number of slots for several context sizes. */
  readonly fittingSizes: readonly CacheSize[];
}

interface PoolingReport {
  readonly kind: PoolingModelSettings["kind"];
  readonly model: string;
  readonly plan: PoolingPlan;
  /** Why the plan cannot be carried out; `null`: it can. */
  readonly shortage: string | null;
}

/**
 * Plans the memory of all models without loading them, each in addition to the previous ones.
 * @param specs models; the first one decides which device is used
 * @throws {StartupError} if a model cannot be read
 */
export async function planSpecs(
  specs: readonly ModelSpec[],
  machine: DescribedMachine,
): Promise<PlanReport> {
  const [main] = specs;
  const { llama, rejectedBackends } = await openBackend(
    main?.gpu ?? "auto",
    main && buildProbedModel(main),
    () => undefined,
  );
  const { otherModelsMemory = NO_MEMORY } = machine;
  let memory = withoutOtherModels(
    otherModelsMemory,
    applyDescribedMemory(await readMachineMemory(llama, main?.placement ?? {}), machine),
  );
  const { free } = memory;
  const [nodes, parallelism] = [readNumaNodes(), availableParallelism()];
  const models: ModelReport[] = [];
  for (const spec of specs.toSorted(compareLoadOrder)) {
    const gpus = await listPlannedGpus(llama, spec.placement, {
      memory,
      origin: machine.gpuMemoryGiB === undefined ? "measured" : "described",
    });
    const reports = await planModel(llama, spec, { memory, gpus, nodes, parallelism });
    models.push(...reports);
    memory = reports.reduce(remainingMemory, memory);
  }
  return {
    device: await describeDevice(llama),
    gpu: llama.gpu === false ? "off" : llama.gpu,
    free,
    passedOver: rejectedBackends.map(describeRejectedBackend),
    models,
  };
}

/** Measures the free memory of this machine and of the device for models. */
export async function measureFreeMemory(gpu: GpuChoice): Promise<MemoryUse> {
  const { llama } = await openBackend(gpu, undefined, () => undefined);
  return (await readMachineMemory(llama, {})).free;
}

/** Memory that a planned model will take. */
export function plannedUseOf(report: ModelReport): MemoryUse {
  return report.kind === "generation" ? report.memory : sumModelParts(report.plan.model);
}

/** Returns the memory that a planned model leaves; only pooling models leave any. */
function remainingMemory(memory: MachineMemory, report: ModelReport): MachineMemory {
  if (report.kind === "generation") return memory;
  return withoutOtherModels(sumModelParts(report.plan.model), memory);
}

/** Plans a model; embeddings of a model that generates text are planned first. */
async function planModel(
  llama: Backend,
  spec: ModelSpec,
  supply: ReplicaSupply,
): Promise<readonly ModelReport[]> {
  return spec.kind === "generation"
    ? planMain(llama, spec, supply)
    : [await planPooling(llama, buildPoolingSettings(spec), supply.memory)];
}

/** Plans the main model, as a pooling model if its file is one. */
async function planMain(
  llama: Backend,
  spec: GenerationModelSpec,
  supply: ReplicaSupply,
): Promise<readonly ModelReport[]> {
  const planAs = (kind: PoolingModelSpec["kind"]) =>
    planPooling(llama, buildPoolingSettings(asPooling(spec, kind)), supply.memory);
  try {
    const embeddings = spec.embeddings ? [await planAs("embedding")] : [];
    const memory = embeddings.reduce(remainingMemory, supply.memory);
    return [...embeddings, await planGeneration(llama, spec, { ...supply, memory })];
  } catch (error) {
    if (!(error instanceof OtherKindError) || error.kind === "generation") throw error;
    return [await planAs(error.kind)];
  }
}

async function planGeneration(
  llama: Backend,
  spec: GenerationModelSpec,
  supply: ReplicaSupply,
): Promise<GenerationReport> {
  const settings = buildEngineSettings(spec);
  const { planned, placements, refusal } = await planReplicas(
    (engine, memory) => planModels(llama, engine, memory),
    spec,
    settings,
    supply,
  );
  const { main, planInput, plan, files } = planned;
  const shortage = findShortage(plan);
  return {
    kind: "generation",
    model: main.path,
    files,
    plan,
    replicas: placements,
    memory: sumReplicas({
      plan,
      count: placements.length,
      sharing: weightSharingOf(settings.placement),
    }),
    warnings: describeWarnings(settings, planInput.main.trainContextSize),
    shortage: shortage ?? refusal?.obstacle ?? null,
    wouldFit:
      shortage === undefined ? listRemedies(refusal) : await findFittingFlags(planInput, plan),
    fittingSizes: await findFittingSizes(planInput, plan),
  };
}

function listRemedies(refusal: ReplicaRefusal | undefined): readonly string[] {
  return refusal === undefined ? [] : [`--replicas ${refusal.fitting}`];
}

function describeWarnings(
  { contextSize }: EngineSettings,
  trainContextSize: number,
): readonly string[] {
  if (contextSize === undefined || contextSize <= trainContextSize) return [];
  return [
    `--context-size ${contextSize} is more than the ${trainContextSize} tokens that the model was trained for: beyond them its answers are of little use`,
  ];
}

async function planPooling(
  llama: Backend,
  settings: PoolingModelSettings,
  memory: MachineMemory,
): Promise<PoolingReport> {
  const { file, plan } = await planPoolingModel(llama, settings, memory);
  const shortage = findModelsShortage([plan.model], memory) ?? null;
  return { kind: settings.kind, model: file.path, plan, shortage };
}

/** Returns this machine's memory, overridden by the described values. */
function applyDescribedMemory(
  actualMemory: MachineMemory,
  { memoryGiB, gpuMemoryGiB }: DescribedMachine,
): MachineMemory {
  const cpuBytes = memoryGiB === undefined ? actualMemory.free.cpuBytes : memoryGiB * 2 ** 30;
  const gpuBytes = gpuMemoryGiB === undefined ? actualMemory.free.gpuBytes : gpuMemoryGiB * 2 ** 30;
  return {
    free: { cpuBytes, gpuBytes },
    totalCpuBytes: memoryGiB === undefined ? actualMemory.totalCpuBytes : cpuBytes,
    gpu: gpuMemoryGiB === undefined ? actualMemory.gpu : "separate",
  };
}
