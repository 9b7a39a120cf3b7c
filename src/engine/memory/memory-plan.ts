import assert from "node:assert/strict";
import { addMemory, MAX_CPU_SHARE, MAX_GPU_SHARE, type MemoryUse } from "../../core/memory-use.js";
import type { KvCacheTypes } from "../native/kv-cache.js";
import type { CacheLayout } from "../native/token-context.js";
import {
  type CacheSize,
  chooseCacheSize,
  findLargestFitting,
  MIN_USEFUL_CONTEXT_TOKENS,
  USUAL_SLOTS,
} from "./cache-size.js";
import {
  type AttentionChoice,
  type BatchLimits,
  type KeptOnCpu,
  limitDraftContext,
} from "./context-options.js";
import type { MachineMemory } from "./machine-memory.js";
import type { ModelEstimates } from "./model-estimates.js";

/** Configured sizes; `undefined` and `auto` are chosen automatically. */
export interface MemorySettings extends BatchLimits, KeptOnCpu, AttentionChoice {
  /** Number of layers to offload to the GPU. */
  readonly gpuLayers: number | "auto";
  readonly slots: number | undefined;
  /** Tokens per slot. */
  readonly contextSize: number | undefined;
  readonly kvCacheTypes: KvCacheTypes;
  readonly kvCacheLayout: CacheLayout["kind"] | "auto";
}

/**
 * Estimates for a draft's file. `texts`: a separate model, whose context may be shorter than the
 * main model's and is always split. `states`: a head, which follows the main model's sequences in a
 * context like the main one.
 */
export interface DraftEstimates extends ModelEstimates {
  readonly follows: "texts" | "states";
}

export interface PlanInput {
  readonly settings: MemorySettings;
  /** Estimates of the main model, including the memory for drafting from its hidden states. */
  readonly main: ModelEstimates;
  readonly draft: DraftEstimates | undefined;
  readonly memory: MachineMemory;
  readonly unified: LayoutInput["unified"];
}

/** Size and layout of a KV cache. */
export interface DividedCache extends CacheSize {
  readonly layout: CacheLayout["kind"];
}

/** Placement of one model's parts. */
export interface PlannedModel extends ModelParts {
  /** Tokens per slot. */
  readonly contextSize: number;
  readonly kvBytesPerToken: number;
}

/** Memory of a model's parts. */
export interface ModelParts {
  /** Layers on the GPU, out of `layers`. */
  readonly gpuLayers: number;
  readonly layers: number;
  readonly weights: MemoryUse;
  readonly cache: MemoryUse;
  /** Compute buffers, and other memory that the library allocates in addition to the cache. */
  readonly buffers: MemoryUse;
}

/** Placement and memory of all models. Plain data. */
export interface MemoryPlan extends DividedCache {
  readonly kvCacheTypes: KvCacheTypes;
  /** Maximum tokens of one request, prompt and answer together. */
  readonly maxRequestTokens: number;
  readonly main: PlannedModel;
  readonly draft: PlannedModel | undefined;
  readonly memory: MachineMemory;
}

/** Number of layers on the GPU. */
export interface GpuLayers {
  readonly main: number;
  readonly draft: number;
}

/**
 * Chooses the sizes that are not configured: as many layers on the GPU as leave room for a useful
 * cache, then slots and context, then the layout.
 */
export async function planMemory(input: PlanInput): Promise<MemoryPlan> {
  const { kvCacheLayout, contextSize: configuredContextSize, noKvOffload } = input.settings;
  if (kvCacheLayout !== "auto") return planLayout(input, kvCacheLayout);
  const split = await planLayout(input, "split");
  const layout = chooseLayout({
    unified: input.unified,
    attention: split.main.gpuLayers > 0 && !noKvOffload ? "gpu" : "cpu",
    configuredContextSize,
    contextSize: split.contextSize,
    trainContextSize: input.main.trainContextSize,
  });
  return layout === "split" ? split : planLayout(input, layout);
}

interface LayoutInput {
  /** `impossible` if states cannot be truncated; only the split layout exists then. */
  readonly unified: "possible" | "impossible";
  /** Device that computes the attention of the first layers. */
  readonly attention: "cpu" | "gpu";
  /** Configured tokens per slot; `undefined` if chosen. */
  readonly configuredContextSize: number | undefined;
  /** Tokens per slot. */
  readonly contextSize: number;
  readonly trainContextSize: number;
}

/**
 * Chooses the layout of a KV cache. In a unified one a request may use all free cells, and prefixes
 * are copied at no cost; on a CPU every step takes longer in it, and longer with more decoding
 * streams (`docs/decisions/0034-unified-cache.md`). The split layout is therefore chosen if no
 * request would gain length: each slot has the model's whole context or the configured length.
 */
function chooseLayout(input: LayoutInput): CacheLayout["kind"] {
  const { unified, attention, configuredContextSize, contextSize, trainContextSize } = input;
  if (unified === "impossible") return "split";
  if (attention === "gpu") return "unified";
  const isLongEnough = configuredContextSize !== undefined || contextSize >= trainContextSize;
  return isLongEnough ? "split" : "unified";
}

async function planLayout(input: PlanInput, layout: CacheLayout["kind"]): Promise<MemoryPlan> {
  const { settings, main, draft, memory } = input;
  const gpuLayers = await chooseGpuLayers(input, layout);
  const size = await chooseCacheSize({
    ...settings,
    trainContextSize: main.trainContextSize,
    fits: (size) => fitsComfortably(input, gpuLayers, { ...size, layout }),
  });
  return {
    ...size,
    layout,
    maxRequestTokens: computeMaxRequestTokens({ ...size, layout }, main.trainContextSize),
    kvCacheTypes: settings.kvCacheTypes,
    main: await planModel(main, gpuLayers.main, { ...settings, ...size, layout }),
    draft:
      draft &&
      (await planModel(
        draft,
        gpuLayers.draft,
        buildDraftOptions(draft, settings, { ...size, layout }),
      )),
    memory,
  };
}

/**
 * Returns the maximum tokens of one request. In a unified cache it may use all cells, up to the
 * training context.
 */
function computeMaxRequestTokens(
  { slots, contextSize, layout }: DividedCache,
  trainContextSize: number,
): number {
  if (layout === "split") return contextSize;
  return Math.max(contextSize, Math.min(slots * contextSize, trainContextSize));
}

/** Returns the model and its draft model, if there is one. */
export function modelsOf({ main, draft }: MemoryPlan): readonly PlannedModel[] {
  return draft === undefined ? [main] : [main, draft];
}

export function gpuLayersOf({ main, draft }: MemoryPlan): GpuLayers {
  return { main: main.gpuLayers, draft: draft?.gpuLayers ?? 0 };
}

/** Returns the total memory of a model. */
export function sumModelParts({ weights, cache, buffers }: ModelParts): MemoryUse {
  return addMemory([weights, cache, buffers]);
}

/** Returns the total memory of a plan, including its draft. */
export function sumPlanMemory(plan: MemoryPlan): MemoryUse {
  return addMemory(modelsOf(plan).map(sumModelParts));
}

/**
 * Returns whether a configuration fits into the free memory with the margin that chosen sizes
 * require.
 */
export async function fitsComfortably(
  { main, draft, settings, memory }: PlanInput,
  gpuLayers: GpuLayers,
  { slots, contextSize, layout }: DividedCache,
): Promise<boolean> {
  const cache = { slots, contextSize, layout };
  const weights = [await main.weights(gpuLayers.main)];
  const contexts = [await main.context(gpuLayers.main, { ...settings, ...cache })];
  if (draft !== undefined) {
    weights.push(await draft.weights(gpuLayers.draft));
    contexts.push(await draft.context(gpuLayers.draft, buildDraftOptions(draft, settings, cache)));
  }
  return leavesMargin(addMemory(weights), addMemory(contexts), memory);
}

/** Returns whether weights and contexts fit into the free memory with a margin. */
export function leavesMargin(
  weights: MemoryUse,
  contexts: MemoryUse,
  { free, gpu }: MachineMemory,
): boolean {
  const sharedBytes = gpu === "unified" ? weights.gpuBytes + contexts.gpuBytes : 0;
  const cpuRoom = free.cpuBytes - weights.cpuBytes - sharedBytes;
  const gpuRoom = free.gpuBytes - weights.gpuBytes;
  // Weights on the CPU are mapped from their file and may exceed the free memory; those on a GPU
  // may not.
  return (
    contexts.cpuBytes <= Math.max(0, cpuRoom) * MAX_CPU_SHARE &&
    gpuRoom >= 0 &&
    contexts.gpuBytes <= gpuRoom * MAX_GPU_SHARE
  );
}

/**
 * Chooses the layers on the GPU. A model is offloaded as a whole if one slot fits with it, which is
 * several times faster. If layers stay on the CPU anyway, the others leave room for the usual
 * slots.
 *
 * A draft model is offloaded as a whole if it fits, since each token waits for several of its
 * passes.
 */
async function chooseGpuLayers(input: PlanInput, layout: CacheLayout["kind"]): Promise<GpuLayers> {
  const { main, draft, settings, memory } = input;
  if (memory.gpu === "none") return { main: 0, draft: 0 };
  const { gpuLayers: configuredLayers } = settings;
  if (configuredLayers !== "auto") {
    return {
      main: Math.min(configuredLayers, main.layers),
      draft: Math.min(configuredLayers, draft?.layers ?? 0),
    };
  }
  const fits = (layers: GpuLayers, slots: number) => fitsGpu(input, layers, { slots, layout });
  const allOfDraft = draft?.layers ?? 0;
  const draftLayers = (await fits({ main: 0, draft: allOfDraft }, 1)) ? allOfDraft : 0;
  const allLayers = { main: main.layers, draft: draftLayers };
  if (await fits(allLayers, 1)) return allLayers;
  const someLayers = await findLargestFitting({ min: 0, max: main.layers - 1 }, (layers) =>
    fits({ main: layers, draft: draftLayers }, USUAL_SLOTS),
  );
  return { main: someLayers, draft: draftLayers };
}

/**
 * Returns whether layers fit on the GPU together with the smallest useful cache of the given slots.
 */
function fitsGpu(
  input: PlanInput,
  gpuLayers: GpuLayers,
  { slots, layout }: Pick<DividedCache, "slots" | "layout">,
): Promise<boolean> {
  const { main, memory, settings } = input;
  const free = { ...memory.free, cpuBytes: Number.POSITIVE_INFINITY };
  return fitsComfortably({ ...input, memory: { ...memory, free } }, gpuLayers, {
    slots: settings.slots ?? slots,
    contextSize: settings.contextSize ?? Math.min(main.trainContextSize, MIN_USEFUL_CONTEXT_TOKENS),
    layout,
  });
}

type SizedSettings = MemorySettings & DividedCache;

function buildDraftOptions(
  draft: DraftEstimates,
  settings: MemorySettings,
  cache: DividedCache,
): SizedSettings {
  if (draft.follows === "states") return { ...settings, ...cache };
  const { slots, contextSize } = cache;
  const draftSize = { slots, contextSize: limitDraftContext(draft, contextSize) };
  return { ...settings, ...draftSize, layout: "split" };
}

/**
 * Plans one model. A dry run reports the total memory of a context per device, but not the cache's
 * part; the cache is divided in proportion to the layers, unless all of it is in main memory.
 */
async function planModel(
  model: ModelEstimates,
  gpuLayers: number,
  settings: SizedSettings,
): Promise<PlannedModel> {
  const { slots, contextSize, kvCacheTypes, noKvOffload } = settings;
  const { layers } = model;
  assert(0 <= gpuLayers && gpuLayers <= layers, `cannot offload ${gpuLayers} of ${layers} layers`);
  const context = await model.context(gpuLayers, settings);
  const kvBytesPerToken = model.kvBytesPerToken(kvCacheTypes);
  const cacheBytes = kvBytesPerToken * contextSize * slots;
  const gpuShare = noKvOffload ? 0 : gpuLayers / layers;
  const cache = {
    cpuBytes: Math.min(context.cpuBytes, cacheBytes * (1 - gpuShare)),
    gpuBytes: Math.min(context.gpuBytes, cacheBytes * gpuShare),
  };
  return {
    gpuLayers,
    layers,
    contextSize,
    kvBytesPerToken,
    weights: await model.weights(gpuLayers),
    cache,
    buffers: {
      cpuBytes: context.cpuBytes - cache.cpuBytes,
      gpuBytes: context.gpuBytes - cache.gpuBytes,
    },
  };
}

/** Returns the size of one sequence in the KV cache, in bytes. */
export function computeStreamBytes({ kvBytesPerToken, contextSize }: PlannedModel): number {
  return kvBytesPerToken * contextSize;
}
