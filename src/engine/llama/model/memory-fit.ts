import { GgmlType, type LlamaModel } from "node-llama-cpp";
import type { CacheSize } from "../cache-size.js";
import { flashAttention } from "../flash-attention.js";
import type { KvCacheType } from "../kv-cache.js";
import { processorOf } from "../llama-backend.js";
import { readModelMetadata } from "./model-metadata.js";

/** Memory that contexts may take, in bytes. */
export interface MemoryBudget {
  readonly cpuBytes: number;
  readonly gpuBytes: number;
}

export interface ContextMemoryOptions {
  readonly batchSize: number;
  readonly kvCacheType: KvCacheType;
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
 * Whether contexts of a cache size, with their compute buffers, fit into a budget.
 * @param models the model that is served first; a draft model's context is at most what it was
 *   trained with
 */
export async function fitsMemory(
  models: readonly LlamaModel[],
  { slots, contextSize }: CacheSize,
  { cpuBytes, gpuBytes, ...options }: MemoryBudget & ContextMemoryOptions,
): Promise<boolean> {
  let [cpuNeeded, gpuNeeded] = [0, 0];
  for (const [index, model] of models.entries()) {
    const ownContextSize =
      index === 0 ? contextSize : Math.min(contextSize, model.trainContextSize);
    const ownSize = { slots, contextSize: ownContextSize };
    const { cpuRam, gpuVram } = await estimateContextBytes(model, ownSize, options);
    cpuNeeded += cpuRam;
    gpuNeeded += gpuVram;
  }
  return cpuNeeded <= cpuBytes && gpuNeeded <= gpuBytes;
}

/** llama.cpp's own dry run: exact to the megabyte, for hybrid and sliding-window models as well. */
function estimateContextBytes(
  model: LlamaModel,
  { slots, contextSize }: CacheSize,
  { batchSize, kvCacheType }: ContextMemoryOptions,
) {
  const type = GgmlType[kvCacheType.toUpperCase() as Uppercase<KvCacheType>];
  return model.fileInsights.estimateContextResourceRequirementsV2({
    contextSize,
    sequences: slots,
    batchSize,
    modelGpuLayers: model.gpuLayers,
    kvCacheKeyType: type,
    kvCacheValueType: type,
    flashAttention: flashAttention({
      attention: readModelMetadata(model).attention,
      kvCacheType,
      contextSize,
      batchSize,
      processor: processorOf(model.llama),
    }),
  });
}
