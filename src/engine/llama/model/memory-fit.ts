import type { LlamaModel } from "node-llama-cpp";
import { type ContextOptions, draftContextSize, nativeContextOptions } from "./context-options.js";

/** Memory that contexts may take, in bytes. */
export interface MemoryBudget {
  readonly cpuBytes: number;
  readonly gpuBytes: number;
}

/** The rest is for other programs, for what the library does not estimate, and for the server. */
const MAX_CPU_SHARE = 0.8;
const MAX_GPU_SHARE = 0.9;

/**
 * The memory that is left for contexts beside loaded weights. Weights are mapped from their files, and
 * the system counts mapped pages as available: they are subtracted. Those on a GPU are there already.
 */
export async function readMemoryBudget(models: readonly LlamaModel[]): Promise<MemoryBudget> {
  let weightBytes = 0;
  for (const { fileInsights, gpuLayers } of models) {
    const { cpuRam } = await fileInsights.estimateModelResourceRequirements({ gpuLayers });
    weightBytes += cpuRam;
  }
  const [model] = models;
  const onGpu = model !== undefined && model.llama.gpu !== false;
  const vramBytes = onGpu ? (await model.llama.getVramState()).free : 0;
  return {
    cpuBytes: Math.max(0, process.availableMemory() - weightBytes) * MAX_CPU_SHARE,
    gpuBytes: vramBytes * MAX_GPU_SHARE,
  };
}

/**
 * Whether contexts, with their compute buffers, fit into a budget.
 * @param models the model that is served first
 */
export async function fitsMemory(
  models: readonly LlamaModel[],
  { cpuBytes, gpuBytes, ...options }: MemoryBudget & ContextOptions,
): Promise<boolean> {
  let [cpuNeeded, gpuNeeded] = [0, 0];
  for (const [index, model] of models.entries()) {
    const contextSize =
      index === 0 ? options.contextSize : draftContextSize(model, options.contextSize);
    const { cpuRam, gpuVram } = await estimateContextBytes(model, { ...options, contextSize });
    cpuNeeded += cpuRam;
    gpuNeeded += gpuVram;
  }
  return cpuNeeded <= cpuBytes && gpuNeeded <= gpuBytes;
}

/** llama.cpp's own dry run: exact to the megabyte, for hybrid and sliding-window models as well. */
function estimateContextBytes(model: LlamaModel, options: ContextOptions) {
  const { kvCacheType: type, ...native } = nativeContextOptions(model, options);
  return model.fileInsights.estimateContextResourceRequirementsV2({
    ...native,
    kvCacheKeyType: type,
    kvCacheValueType: type,
    modelGpuLayers: model.gpuLayers,
  });
}
