import type { GgufInsights } from "node-llama-cpp";
import { addMemory, type MemoryUse } from "../../core/memory-use.js";
import type { ContextParams } from "../native/companion/native-companion.js";
import {
  type LoadParams,
  withContextParams,
  withModelParams,
} from "../native/companion/native-params.js";
import { computeKvBytesPerToken, type KvCacheTypes } from "../native/kv-cache.js";
import type { CacheLayout } from "../native/token-context.js";
import {
  buildCompanionParams,
  type ContextOptions,
  type ContextSubject,
  toNativeContextOptions,
} from "./context-options.js";

/**
 * The library's memory estimates for a model. It caches them by its own options, which do not
 * include the layout, so each layout has its own object.
 */
export type InsightsByLayout = Readonly<Record<CacheLayout["kind"], GgufInsights>>;

/** Estimated memory of a model's parts, before any of them is loaded. */
export interface ModelEstimates {
  /** Layers that a GPU can take, including the output layer. */
  readonly layers: number;
  readonly trainContextSize: number;
  /**
   * Bytes per token in the KV cache; an upper bound for models with sliding windows or recurrent
   * layers.
   */
  kvBytesPerToken(types: KvCacheTypes): number;
  weights(gpuLayers: number): Promise<MemoryUse>;
  /** Memory of the KV cache and the compute buffers. */
  context(gpuLayers: number, options: ContextOptions): Promise<MemoryUse>;
}

/**
 * Maximum cache size of a dry run. A dry run's duration grows with the number of cells and reaches
 * seconds beyond this. No such cache fits into a current machine, so only the size of keys and
 * values is estimated.
 */
const MAX_DRY_RUN_TOKENS = 2 ** 23;

/**
 * Estimates memory by llama.cpp's own dry run, which is exact to the megabyte, also for hybrid and
 * sliding-window models.
 */
export function createDryRunEstimates(
  insightsByLayout: InsightsByLayout,
  subject: ContextSubject,
  modelParams: LoadParams,
  contextParams: ContextParams = {},
): ModelEstimates {
  const { split: insights } = insightsByLayout;
  return {
    layers: insights.totalLayers,
    trainContextSize: insights.trainContextSize ?? Number.MAX_SAFE_INTEGER,
    kvBytesPerToken: (types) => computeKvBytesPerToken(subject.attention, types),
    async weights(gpuLayers) {
      return toMemoryUse(
        await withModelParams(modelParams, () =>
          insights.estimateModelResourceRequirementsV2({ gpuLayers }),
        ),
      );
    },
    async context(gpuLayers, options) {
      const tokens = options.slots * options.contextSize;
      if (tokens > MAX_DRY_RUN_TOKENS) {
        const bytes = computeKvBytesPerToken(subject.attention, options.kvCacheTypes) * tokens;
        return splitByLayers(bytes, options.noKvOffload ? 0 : gpuLayers / insights.totalLayers);
      }
      const { keyType, valueType, ...native } = toNativeContextOptions(subject, options);
      return toMemoryUse(
        await withModelParams(modelParams, () =>
          withContextParams({ ...buildCompanionParams(subject, options), ...contextParams }, () =>
            insightsByLayout[options.layout].estimateContextResourceRequirementsV2({
              ...native,
              kvCacheKeyType: keyType,
              kvCacheValueType: valueType,
              modelGpuLayers: gpuLayers,
            }),
          ),
        ),
      );
    },
  };
}

/**
 * Estimates memory for a GPU that this machine lacks, from a dry run on the CPU: the GPU takes its
 * layers' share of the cache, and buffers of the same size if it computes at all.
 */
export function createDescribedGpuEstimates(
  insights: InsightsByLayout,
  subject: ContextSubject,
  modelParams: Pick<LoadParams, "metadataOverrides" | "mtpLayers"> = {},
  contextParams: ContextParams = {},
): ModelEstimates {
  const gpuSubject = { ...subject, processor: { kind: "gpu" } as const };
  const cpuEstimates = createDryRunEstimates(insights, gpuSubject, modelParams, contextParams);
  return {
    ...cpuEstimates,
    async weights(gpuLayers) {
      return toMemoryUse(insights.split.estimateModelResourceRequirements({ gpuLayers }));
    },
    async context(gpuLayers, options) {
      const { cpuBytes } = await cpuEstimates.context(0, options);
      const { slots, contextSize, kvCacheTypes, noKvOffload } = options;
      const tokens = slots * contextSize;
      const cacheBytes = Math.min(cpuBytes, cpuEstimates.kvBytesPerToken(kvCacheTypes) * tokens);
      const bufferBytes = cpuBytes - cacheBytes;
      return addMemory([
        splitByLayers(cacheBytes, noKvOffload ? 0 : gpuLayers / cpuEstimates.layers),
        {
          cpuBytes: gpuLayers < cpuEstimates.layers || noKvOffload ? bufferBytes : 0,
          gpuBytes: gpuLayers > 0 ? bufferBytes : 0,
        },
      ]);
    },
  };
}

/** Divides memory between CPU and GPU in proportion to the layers. */
export function splitByLayers(bytes: number, gpuShare: number): MemoryUse {
  return { cpuBytes: bytes * (1 - gpuShare), gpuBytes: bytes * gpuShare };
}

function toMemoryUse({ cpuRam, gpuVram }: { cpuRam: number; gpuVram: number }): MemoryUse {
  return { cpuBytes: cpuRam, gpuBytes: gpuVram };
}
