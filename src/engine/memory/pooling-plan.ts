import assert from "node:assert/strict";
import { addMemory, type MemoryUse, NO_MEMORY } from "../../core/memory-use.js";
import type { ContextParams } from "../native/companion/native-companion.js";
import { chooseFlashAttention } from "../native/kv-cache.js";
import { type ContextSubject, type KeptOnCpu, offloadParams } from "./context-options.js";
import type { MachineMemory } from "./machine-memory.js";
import { leavesMargin, type ModelParts } from "./memory-plan.js";

/** Configured sizes of a pooling model; `undefined` and `auto` are chosen automatically. */
export interface PoolingMemorySettings extends KeptOnCpu {
  readonly gpuLayers: number | "auto";
  /** Maximum tokens of one input. */
  readonly maxInputTokens: number | undefined;
}

/** Estimated memory of a pooling model's parts, before any of them is loaded. */
export interface PoolingEstimates {
  readonly layers: number;
  readonly trainContextSize: number;
  /** Whether the model has a KV cache, as causal models do. */
  readonly cache: "cells" | "none";
  weights(gpuLayers: number): Promise<MemoryUse>;
  /** Memory of everything but the weights. */
  context(gpuLayers: number, size: PoolingSize): Promise<MemoryUse>;
  /** See {@link computeShortBatchSize}. */
  shortBatchSize(sequences: number): PoolingSize | undefined;
}

export interface PoolingPlanInput {
  readonly settings: PoolingMemorySettings;
  readonly model: PoolingEstimates;
  readonly memory: MachineMemory;
}

/** Placement, memory and batch sizes of a pooling model. Plain data. */
export interface PoolingPlan extends PoolingSize {
  /** Size of a context for the second of two concurrent batches; `undefined` on a GPU. */
  readonly second: PoolingSize | undefined;
  /** Size of each context's companion for short batches; `undefined` without one. */
  readonly short: PoolingSize | undefined;
  /** Maximum tokens of one input. */
  readonly maxInputTokens: number;
  readonly model: ModelParts;
  readonly memory: MachineMemory;
}

/**
 * Maximum number of inputs in a batch. More inputs gain nothing, because the batch reaches its
 * token limit first.
 */
const MAX_SEQUENCES = 32;
/**
 * Maximum default input length. Longer inputs are rare, but the context would hold buffers for them
 * at all times.
 */
const USUAL_MAX_INPUT_TOKENS = 8192;
/** Minimum useful input length. */
const MIN_USEFUL_INPUT_TOKENS = 512;
/** Minimum cells that llama.cpp reserves per sequence; a batch needs one cell per token. */
const MIN_SEQUENCE_CELLS = 256;
/** Batch size in tokens beyond which a CPU gains no throughput and latency grows. */
export const ENOUGH_CPU_TOKENS = 512;
/** Smaller batches do not keep a GPU busy. */
const MIN_GPU_BATCH_TOKENS = 2048;

/**
 * Chooses the sizes that are not configured: the GPU if the model fits there with inputs of a
 * useful length, then the longest inputs that fit, up to {@link USUAL_MAX_INPUT_TOKENS} tokens.
 */
export async function planPooling(planInput: PoolingPlanInput): Promise<PoolingPlan> {
  const { settings, model, memory } = planInput;
  const lengths = listInputLengths(settings.maxInputTokens, model.trainContextSize);
  const candidates = listGpuLayersToTry(settings.gpuLayers, model.layers, memory).flatMap(
    (gpuLayers) => lengths.map((maxInputTokens) => ({ gpuLayers, maxInputTokens })),
  );
  let plan: PoolingPlan | undefined;
  for (const candidate of candidates) {
    plan = await planCandidate(planInput, candidate);
    if (leavesMargin(plan.model.weights, plan.model.buffers, memory)) return plan;
  }
  assert(plan !== undefined, "no candidates to plan");
  return plan;
}

/** Returns the input lengths to try, longest first. */
function listInputLengths(configured: number | undefined, trainContextSize: number): number[] {
  if (configured !== undefined) return [Math.min(configured, trainContextSize)];
  const lengths = [Math.min(USUAL_MAX_INPUT_TOKENS, trainContextSize)];
  for (let half = Math.floor((lengths[0] ?? 0) / 2); half >= MIN_USEFUL_INPUT_TOKENS; half >>= 1) {
    lengths.push(half);
  }
  return lengths;
}

function listGpuLayersToTry(
  configured: number | "auto",
  layers: number,
  { gpu }: MachineMemory,
): readonly number[] {
  if (gpu === "none") return [0];
  return configured === "auto" ? [layers, 0] : [Math.min(configured, layers)];
}

async function planCandidate(
  { model, memory }: PoolingPlanInput,
  { gpuLayers, maxInputTokens }: { gpuLayers: number; maxInputTokens: number },
): Promise<PoolingPlan> {
  const isOnGpu = gpuLayers > 0;
  const tokens = isOnGpu ? Math.max(maxInputTokens, MIN_GPU_BATCH_TOKENS) : maxInputTokens;
  const size = computeSize(tokens, model.cache);
  const second = isOnGpu
    ? undefined
    : computeSize(Math.min(tokens, ENOUGH_CPU_TOKENS), model.cache);
  const short = isOnGpu ? undefined : model.shortBatchSize(size.sequences);
  const contexts = [size, second].flatMap((one) => (one === undefined ? [] : [one, short]));
  const buffers = await Promise.all(
    contexts.flatMap((one) => (one === undefined ? [] : [model.context(gpuLayers, one)])),
  );
  return {
    ...size,
    second,
    short,
    maxInputTokens,
    model: {
      gpuLayers,
      layers: model.layers,
      weights: await model.weights(gpuLayers),
      // Causal models have a cache during a batch; it counts towards the buffers.
      cache: NO_MEMORY,
      buffers: addMemory(buffers),
    },
    memory,
  };
}

function computeSize(tokens: number, cache: PoolingEstimates["cache"]): PoolingSize {
  const maxSequences = cache === "none" ? tokens : tokens / MIN_SEQUENCE_CELLS;
  const sequences = Math.max(1, Math.floor(Math.min(MAX_SEQUENCES, maxSequences)));
  // llama.cpp reserves a graph with equally many tokens per sequence, and asserts that they fit.
  return {
    batchTokens: Math.ceil(tokens / sequences) * sequences,
    sequences,
    attention: "flash",
  };
}

/** Properties that determine the memory of a pooling context. */
export interface PoolingSize {
  /**
   * Maximum tokens of a batch, which is one pass: an input with bidirectional attention cannot be
   * divided.
   */
  readonly batchTokens: number;
  /** Maximum number of inputs in a batch. */
  readonly sequences: number;
  readonly attention: "flash" | "plain";
}

/**
 * Batches for which plain attention is faster where flash attention is slow for single tokens:
 * llama.cpp has a fast path for 64 tokens and more (tiles in ggml's `ops.cpp`). With MiniLM's
 * shape, 24 tokens took 9 ms instead of 13, 64 took 24 instead of 20, and 250 took 130 instead of
 * 72.
 */
const SHORT_BATCH_TOKENS = 60;
const SHORT_BATCH_SEQUENCES = 4;

/** Returns the size of a context for short batches; `undefined` if none is needed. */
export function computeShortBatchSize(
  { attention, processor }: Pick<ContextSubject, "attention" | "processor">,
  sequences: number,
): PoolingSize | undefined {
  const flashChoice = chooseFlashAttention({
    attention,
    kvCacheTypes: { keys: "f16", values: "f16" },
    attendedTokens: SHORT_BATCH_TOKENS,
    batchSize: SHORT_BATCH_TOKENS,
    processor,
  });
  if (flashChoice === "auto") return undefined;
  return {
    batchTokens: SHORT_BATCH_TOKENS,
    sequences: Math.min(sequences, SHORT_BATCH_SEQUENCES),
    attention: "plain",
  };
}

/**
 * Builds the options of a pooling context in the binding's form, for its creation and for the dry
 * run.
 */
export function buildNativePoolingOptions({ batchTokens, sequences, attention }: PoolingSize) {
  return {
    sequences,
    // Context size per sequence: together the sequences hold the tokens of a batch, in one cache.
    contextSize: Math.ceil(batchTokens / sequences),
    batchSize: batchTokens,
    flashAttention: attention === "plain" ? false : ("auto" as const),
  };
}

/** Builds the parameters of a pooling context that only the native companion can set. */
export function buildPoolingParams(
  { batchTokens }: Pick<PoolingSize, "batchTokens">,
  poolingType: number,
  kept: KeptOnCpu,
): ContextParams {
  return {
    kvUnified: true,
    poolingType,
    microBatchTokens: batchTokens,
    ...offloadParams(kept),
  };
}
