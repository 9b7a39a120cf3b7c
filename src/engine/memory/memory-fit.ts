import { addMemory, formatBinaryUnits } from "../../core/memory-use.js";
import { type CacheSize, findLongestContext, findMostSlots } from "./cache-size.js";
import type { MachineMemory } from "./machine-memory.js";
import {
  fitsComfortably,
  gpuLayersOf,
  type MemoryPlan,
  type ModelParts,
  modelsOf,
  type PlanInput,
  sumModelParts,
} from "./memory-plan.js";

/**
 * Share of the free memory that may be taken; a process that takes all of it makes the system swap
 * and evict until nothing progresses.
 */
const MAX_USED_SHARE = 0.95;

/**
 * Returns the reason why a plan does not fit its machine; `undefined` if it fits. Weights on the
 * CPU are mapped from their file, so they must fit into the machine's total memory, not into its
 * free memory.
 */
export function findShortage(plan: MemoryPlan): string | undefined {
  return findModelsShortage(modelsOf(plan), plan.memory);
}

/** Returns the reason why models do not fit a machine, like {@link findShortage}. */
export function findModelsShortage(
  models: readonly ModelParts[],
  memory: MachineMemory,
): string | undefined {
  const total = addMemory(models.map(sumModelParts));
  const weights = addMemory(models.map((model) => model.weights));
  const contextCpuBytes = total.cpuBytes - weights.cpuBytes;
  const { cpuBytes, gpuBytes } = memory.free;
  if (memory.gpu !== "none" && total.gpuBytes > gpuBytes) {
    return `${describeUse(models, "gpuBytes")} on the GPU, but only ${formatBinaryUnits(gpuBytes)} is free`;
  }
  if (contextCpuBytes > cpuBytes * MAX_USED_SHARE) {
    return `${describeUse(models, "cpuBytes")}, but only ${formatBinaryUnits(cpuBytes)} of memory is free`;
  }
  const sharedBytes = memory.gpu === "unified" ? total.gpuBytes : 0;
  if (total.cpuBytes + sharedBytes > memory.totalCpuBytes) {
    return `${describeUse(models, "cpuBytes")}, but the machine has only ${formatBinaryUnits(memory.totalCpuBytes)}`;
  }
  return undefined;
}

function describeUse(models: readonly ModelParts[], side: "cpuBytes" | "gpuBytes"): string {
  const sumPart = (part: "weights" | "cache" | "buffers") =>
    formatBinaryUnits(models.reduce((bytes, model) => bytes + model[part][side], 0));
  return `the weights take ${sumPart("weights")}, the KV cache ${sumPart("cache")} and buffers ${sumPart("buffers")}`;
}

/**
 * Returns whether mapped weights exceed the free memory, so that they are read from their file
 * repeatedly.
 */
export function isThrashing(plan: MemoryPlan): boolean {
  return addMemory(modelsOf(plan).map(sumModelParts)).cpuBytes > plan.memory.free.cpuBytes;
}

/** Returns flags that each make a plan fit; empty if no cache fits together with the weights. */
export async function findFittingFlags(
  question: PlanInput,
  plan: MemoryPlan,
): Promise<readonly string[]> {
  const { main, slots, contextSize, layout } = plan;
  const gpuLayers = gpuLayersOf(plan);
  const fits = (size: CacheSize) => fitsComfortably(question, gpuLayers, { ...size, layout });
  const flags: string[] = [];
  const fewerSlots = await findMostSlots(contextSize, { min: 0, max: slots }, fits);
  if (fewerSlots > 0) flags.push(`--parallel ${fewerSlots}`);
  const shorterContext = await findLongestContext(slots, contextSize, fits);
  if (await fits({ slots, contextSize: shorterContext }))
    flags.push(`--context-size ${shorterContext}`);
  const quantisedInput = {
    ...question,
    settings: { ...question.settings, kvCacheTypes: { keys: "q8_0", values: "q8_0" } as const },
  };
  if (await fitsComfortably(quantisedInput, gpuLayers, plan)) {
    flags.push("--kv-cache-type q8_0");
  }
  if (main.gpuLayers > 0) {
    const fewerLayers = await findMostLayers(question, plan);
    if (fewerLayers !== undefined) flags.push(`--gpu-layers ${fewerLayers}`);
  }
  return flags;
}

/** Returns the largest number of layers on the GPU with which the configured sizes fit. */
async function findMostLayers(question: PlanInput, plan: MemoryPlan): Promise<number | undefined> {
  const { main: plannedLayers, draft } = gpuLayersOf(plan);
  for (let main = plannedLayers; main >= 0; main--) {
    if (await fitsComfortably(question, { main, draft }, plan)) return main;
  }
  return undefined;
}

/** Context sizes for which `ggufd plan` reports the number of slots, in tokens. */
const CONTEXT_SIZES = [4096, 8192, 16_384, 32_768, 65_536, 131_072];
/** Maximum number of slots reported; machines with more are planned by hand. */
const MAX_SLOTS = 64;

/**
 * Returns the sizes that fit with the layers of a plan: the maximum number of slots for each of
 * several context sizes.
 */
export async function findFittingSizes(
  question: PlanInput,
  plan: MemoryPlan,
): Promise<readonly CacheSize[]> {
  const { layout } = plan;
  const fits = (size: CacheSize) =>
    fitsComfortably(question, gpuLayersOf(plan), { ...size, layout });
  const { trainContextSize } = question.main;
  const ownContextSize = Math.min(trainContextSize, Math.max(...CONTEXT_SIZES));
  const shorterSizes = CONTEXT_SIZES.filter((size) => size < ownContextSize);
  const sizes: CacheSize[] = [];
  for (const contextSize of [...shorterSizes, ownContextSize]) {
    const slots = await findMostSlots(contextSize, { min: 0, max: MAX_SLOTS }, fits);
    if (slots > 0) sizes.push({ slots, contextSize });
  }
  return sizes;
}
