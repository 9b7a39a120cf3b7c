import type { MachineMemory } from "./machine-memory.js";
import { type MemoryPlan, modelsOf, type PlannedModel, totalOf } from "./memory-plan.js";
import { inBinaryUnits, type MemoryUse, sumOf } from "./memory-use.js";

/** A plan in lines of text: what its parts take on which device, beside what is free there. */
export function describePlan(plan: MemoryPlan): string[] {
  const { memory } = plan;
  const models = modelsOf(plan);
  const sum = (part: "weights" | "cache" | "buffers") => sumOf(models.map((model) => model[part]));
  const row = (name: string, use: MemoryUse, remark: string) =>
    `${name.padEnd(8)} ${columns(use, memory)}${remark === "" ? "" : `   ${remark}`}`;
  return [
    `memory   ${titles(memory)}`,
    row("weights", sum("weights"), layersOf(plan)),
    row("cache", sum("cache"), cacheOf(plan)),
    row("buffers", sum("buffers"), ""),
    row("total", sumOf(models.map(totalOf)), ""),
    row("free", memory.free, ""),
  ];
}

const WIDTH = 10;

function titles({ gpu }: MachineMemory): string {
  const names = { none: ["CPU"], separate: ["CPU", "GPU"], unified: ["CPU", "GPU"] }[gpu];
  const shared = gpu === "unified" ? "   one memory for both" : "";
  return names.map((name) => name.padStart(WIDTH)).join("") + shared;
}

function columns({ cpuBytes, gpuBytes }: MemoryUse, { gpu }: MachineMemory): string {
  const values = gpu === "none" ? [cpuBytes] : [cpuBytes, gpuBytes];
  return values.map((bytes) => inBinaryUnits(bytes).padStart(WIDTH)).join("");
}

function layersOf({ main, memory }: MemoryPlan): string {
  return memory.gpu === "none" ? "" : `${main.gpuLayers} of ${main.layers} layers on the GPU`;
}

function cacheOf({ main, slots, contextSize, kvCacheType, ...plan }: MemoryPlan): string {
  const longest = plan.layout === "split" ? "" : `up to ${plan.maxRequestTokens} in one request, `;
  return `${slots} × ${contextSize} tokens in ${kvCacheType}, ${longest}${perToken(main)}`;
}

function perToken({ kvBytesPerToken }: PlannedModel): string {
  return `${(kvBytesPerToken / 1024).toFixed(1)} KiB a token`;
}
