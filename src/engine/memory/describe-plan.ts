import { addMemory, formatBinaryUnits, type MemoryUse } from "../../core/memory-use.js";
import { describeKvCacheTypes } from "../native/kv-cache.js";
import type { MachineMemory } from "./machine-memory.js";
import {
  type MemoryPlan,
  type ModelParts,
  modelsOf,
  type PlannedModel,
  sumModelParts,
} from "./memory-plan.js";
import type { PoolingPlan } from "./pooling-plan.js";

/** Formats a plan as lines of text: the memory of each part per device, and the free memory. */
export function describePlan(plan: MemoryPlan): string[] {
  const { memory } = plan;
  const models = modelsOf(plan);
  const sumPart = (part: "weights" | "cache" | "buffers") =>
    addMemory(models.map((model) => model[part]));
  return [
    `memory   ${formatTitles(memory)}`,
    formatRow("weights", sumPart("weights"), memory, describeLayers(plan.main, memory)),
    formatRow("cache", sumPart("cache"), memory, describeCache(plan)),
    formatRow("buffers", sumPart("buffers"), memory),
    formatRow("total", addMemory(models.map(sumModelParts)), memory),
    formatRow("free", memory.free, memory),
  ];
}

/** Formats the plan of a pooling model like {@link describePlan}. */
export function describePoolingPlan(plan: PoolingPlan): string[] {
  const { memory, model, maxInputTokens, batchTokens, sequences } = plan;
  const batch = `batches of up to ${batchTokens} tokens, ${sequences} inputs`;
  return [
    `memory   ${formatTitles(memory)}`,
    formatRow("weights", model.weights, memory, describeLayers(model, memory)),
    formatRow(
      "buffers",
      model.buffers,
      memory,
      `inputs of up to ${maxInputTokens} tokens, ${batch}`,
    ),
    formatRow("total", sumModelParts(model), memory),
    formatRow("free", memory.free, memory),
  ];
}

const WIDTH = 10;

function formatRow(name: string, use: MemoryUse, memory: MachineMemory, remark = ""): string {
  return `${name.padEnd(8)} ${formatColumns(use, memory)}${remark === "" ? "" : `   ${remark}`}`;
}

function formatTitles({ gpu }: MachineMemory): string {
  const names = { none: ["CPU"], separate: ["CPU", "GPU"], unified: ["CPU", "GPU"] }[gpu];
  const shared = gpu === "unified" ? "   shared memory" : "";
  return names.map((name) => name.padStart(WIDTH)).join("") + shared;
}

function formatColumns({ cpuBytes, gpuBytes }: MemoryUse, { gpu }: MachineMemory): string {
  const values = gpu === "none" ? [cpuBytes] : [cpuBytes, gpuBytes];
  return values.map((bytes) => formatBinaryUnits(bytes).padStart(WIDTH)).join("");
}

function describeLayers({ gpuLayers, layers }: ModelParts, { gpu }: MachineMemory): string {
  return gpu === "none" ? "" : `${gpuLayers} of ${layers} layers on the GPU`;
}

function describeCache({ main, slots, contextSize, kvCacheTypes, ...plan }: MemoryPlan): string {
  const types = describeKvCacheTypes(kvCacheTypes);
  const longestRequest =
    plan.layout === "split" ? "" : `up to ${plan.maxRequestTokens} in one request, `;
  return `${slots} × ${contextSize} tokens in ${types}, ${longestRequest}${formatBytesPerToken(main)}`;
}

function formatBytesPerToken({ kvBytesPerToken }: PlannedModel): string {
  return `${(kvBytesPerToken / 1024).toFixed(1)} KiB per token`;
}
