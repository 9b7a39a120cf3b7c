import { inBinaryUnits, sumOf } from "../../core/memory-use.js";
import { type CacheSize, longestContext, mostSlots } from "./cache-size.js";
import type { MachineMemory } from "./machine-memory.js";
import {
  fitsComfortably,
  gpuLayersOf,
  type MemoryPlan,
  type ModelParts,
  modelsOf,
  type PlanQuestion,
  totalOf,
} from "./memory-plan.js";

/** A process that takes the last of the memory makes the system swap and evict until nothing progresses. */
const MAX_TAKEN_SHARE = 0.95;

/**
 * Why a plan cannot be carried out on its machine; `undefined`: it can. Weights on the CPU are mapped
 * from their file, so that they need not fit into what is free at the moment, but into the machine.
 */
export function shortageOf(plan: MemoryPlan): string | undefined {
  return shortageWith(modelsOf(plan), plan.memory);
}

/** The same for models that are planned for a machine. */
export function shortageWith(
  models: readonly ModelParts[],
  memory: MachineMemory,
): string | undefined {
  const total = sumOf(models.map(totalOf));
  const weights = sumOf(models.map((model) => model.weights));
  const contextCpuBytes = total.cpuBytes - weights.cpuBytes;
  const { cpuBytes, gpuBytes } = memory.free;
  if (memory.gpu !== "none" && total.gpuBytes > gpuBytes) {
    return `${detail(models, "gpuBytes")} on the GPU, where ${inBinaryUnits(gpuBytes)} are free`;
  }
  if (contextCpuBytes > cpuBytes * MAX_TAKEN_SHARE) {
    return `${detail(models, "cpuBytes")}, and ${inBinaryUnits(cpuBytes)} of memory are free`;
  }
  const sharedBytes = memory.gpu === "unified" ? total.gpuBytes : 0;
  if (total.cpuBytes + sharedBytes > memory.totalCpuBytes) {
    return `${detail(models, "cpuBytes")}, and the machine has ${inBinaryUnits(memory.totalCpuBytes)}`;
  }
  return undefined;
}

function detail(models: readonly ModelParts[], side: "cpuBytes" | "gpuBytes"): string {
  const sum = (part: "weights" | "cache" | "buffers") =>
    inBinaryUnits(models.reduce((bytes, model) => bytes + model[part][side], 0));
  return `the weights take ${sum("weights")}, the KV cache ${sum("cache")} and buffers ${sum("buffers")}`;
}

/** Whether mapped weights have to be read from their file again and again. */
export function isThrashing(plan: MemoryPlan): boolean {
  return sumOf(modelsOf(plan).map(totalOf)).cpuBytes > plan.memory.free.cpuBytes;
}

/** Flags that make a plan fit, each by itself; empty: no cache fits beside the weights. */
export async function fittingFlags(
  question: PlanQuestion,
  plan: MemoryPlan,
): Promise<readonly string[]> {
  const { main, slots, contextSize, layout } = plan;
  const gpuLayers = gpuLayersOf(plan);
  const fits = (size: CacheSize) => fitsComfortably(question, gpuLayers, { ...size, layout });
  const flags: string[] = [];
  const fewerSlots = await mostSlots(contextSize, { min: 0, max: slots }, fits);
  if (fewerSlots > 0) flags.push(`--parallel ${fewerSlots}`);
  const shorter = await longestContext(slots, contextSize, fits);
  if (await fits({ slots, contextSize: shorter })) flags.push(`--context-size ${shorter}`);
  const quantised = {
    ...question,
    settings: { ...question.settings, kvCacheTypes: { keys: "q8_0", values: "q8_0" } as const },
  };
  if (await fitsComfortably(quantised, gpuLayers, plan)) {
    flags.push("--kv-cache-type q8_0");
  }
  if (main.gpuLayers > 0) {
    const fewerLayers = await mostLayers(question, plan);
    if (fewerLayers !== undefined) flags.push(`--gpu-layers ${fewerLayers}`);
  }
  return flags;
}

/** The most layers on the GPU with which the configured sizes fit. */
async function mostLayers(question: PlanQuestion, plan: MemoryPlan): Promise<number | undefined> {
  const { main: planned, draft } = gpuLayersOf(plan);
  for (let main = planned; main >= 0; main--) {
    if (await fitsComfortably(question, { main, draft }, plan)) return main;
  }
  return undefined;
}

/** Contexts that `ggufd plan` names the most slots for, in tokens. */
const CONTEXT_SIZES = [4096, 8192, 16_384, 32_768, 65_536, 131_072];
/** More slots than this are for machines that are planned by hand. */
const MAX_SLOTS = 64;

/** The sizes that fit with the layers of a plan: for each of some contexts, the most slots. */
export async function fittingSizes(
  question: PlanQuestion,
  plan: MemoryPlan,
): Promise<readonly CacheSize[]> {
  const { layout } = plan;
  const fits = (size: CacheSize) =>
    fitsComfortably(question, gpuLayersOf(plan), { ...size, layout });
  const { trainContextSize } = question.main;
  const ownContextSize = Math.min(trainContextSize, Math.max(...CONTEXT_SIZES));
  const shorter = CONTEXT_SIZES.filter((size) => size < ownContextSize);
  const sizes: CacheSize[] = [];
  for (const contextSize of [...shorter, ownContextSize]) {
    const slots = await mostSlots(contextSize, { min: 0, max: MAX_SLOTS }, fits);
    if (slots > 0) sizes.push({ slots, contextSize });
  }
  return sizes;
}
