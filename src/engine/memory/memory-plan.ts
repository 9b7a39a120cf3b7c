import assert from "node:assert/strict";
import { MAX_CPU_SHARE, MAX_GPU_SHARE, type MemoryUse, sumOf } from "../../core/memory-use.js";
import type { KvCacheTypes } from "../native/kv-cache.js";
import type { CacheLayout } from "../native/token-context.js";
import {
  type CacheSize,
  chooseCacheSize,
  largestFitting,
  MIN_USEFUL_CONTEXT_TOKENS,
  USUAL_SLOTS,
} from "./cache-size.js";
import { draftContextSize } from "./context-options.js";
import type { MachineMemory } from "./machine-memory.js";
import type { ModelEstimates } from "./model-estimates.js";

/** What is configured; `undefined` and `auto`: to be chosen. */
export interface MemorySettings {
  /** Layers to offload to the GPU. */
  readonly gpuLayers: number | "auto";
  readonly slots: number | undefined;
  /** Tokens of one slot. */
  readonly contextSize: number | undefined;
  readonly kvCacheTypes: KvCacheTypes;
  readonly kvCacheLayout: CacheLayout["kind"] | "auto";
  readonly batchSize: number;
}

/**
 * What a draft's file takes. `texts`: a model of its own, whose context may be shorter than the main model's and is always
 * split. `states`: a head, which follows the main model's sequences in a context like its.
 */
export interface DraftEstimates extends ModelEstimates {
  readonly follows: "texts" | "states";
}

export interface PlanQuestion {
  readonly settings: MemorySettings;
  /** With what follows its hidden states. */
  readonly main: ModelEstimates;
  readonly draft: DraftEstimates | undefined;
  readonly memory: MachineMemory;
  readonly unified: LayoutQuestion["unified"];
}

/** The size of a KV cache, and how it is divided. */
export interface DividedCache extends CacheSize {
  readonly layout: CacheLayout["kind"];
}

/** Where the parts of one model go. */
export interface PlannedModel extends ModelParts {
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly kvBytesPerToken: number;
}

/** What the parts of a model take. */
export interface ModelParts {
  /** Layers on the GPU, of `layers`. */
  readonly gpuLayers: number;
  readonly layers: number;
  readonly weights: MemoryUse;
  readonly cache: MemoryUse;
  /** What is computed in, and what the library allocates beside the cache. */
  readonly buffers: MemoryUse;
}

/** What is loaded where, and what it takes. Plain data. */
export interface MemoryPlan extends DividedCache {
  readonly kvCacheTypes: KvCacheTypes;
  /** What one request may hold, prompt and answer together. */
  readonly maxRequestTokens: number;
  readonly main: PlannedModel;
  readonly draft: PlannedModel | undefined;
  readonly memory: MachineMemory;
}

/** Layers on the GPU. */
export interface GpuLayers {
  readonly main: number;
  readonly draft: number;
}

/**
 * Chooses what is not configured: as many layers on the GPU as leave it room for a useful cache, then
 * slots and context, then the layout.
 */
export async function planMemory(question: PlanQuestion): Promise<MemoryPlan> {
  const { kvCacheLayout, contextSize: configuredContextSize } = question.settings;
  if (kvCacheLayout !== "auto") return planLayout(question, kvCacheLayout);
  const split = await planLayout(question, "split");
  const layout = chooseLayout({
    unified: question.unified,
    gpuLayers: split.main.gpuLayers,
    configuredContextSize,
    contextSize: split.contextSize,
    trainContextSize: question.main.trainContextSize,
  });
  return layout === "split" ? split : planLayout(question, layout);
}

interface LayoutQuestion {
  /** Where states cannot be truncated, there is only one layout. */
  readonly unified: "possible" | "impossible";
  readonly gpuLayers: number;
  /** Tokens of one slot, as configured; `undefined`: chosen. */
  readonly configuredContextSize: number | undefined;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly trainContextSize: number;
}

/**
 * Chooses the layout of a KV cache. A unified one lets a request have all that is free, and copies
 * prefixes for nothing; on a CPU every step takes longer in it, the more so the more streams decode
 * (`docs/decisions/0034-unified-cache.md`). Hence split where no request would gain any length: where a slot has the whole
 * context of the model already, or the length that is configured.
 */
function chooseLayout(question: LayoutQuestion): CacheLayout["kind"] {
  const { unified, gpuLayers, configuredContextSize, contextSize, trainContextSize } = question;
  if (unified === "impossible") return "split";
  if (gpuLayers > 0) return "unified";
  const isLongEnough = configuredContextSize !== undefined || contextSize >= trainContextSize;
  return isLongEnough ? "split" : "unified";
}

async function planLayout(
  question: PlanQuestion,
  layout: CacheLayout["kind"],
): Promise<MemoryPlan> {
  const { settings, main, draft, memory } = question;
  const gpuLayers = await chooseGpuLayers(question, layout);
  const size = await chooseCacheSize({
    ...settings,
    trainContextSize: main.trainContextSize,
    fits: (size) => fitsComfortably(question, gpuLayers, { ...size, layout }),
  });
  return {
    ...size,
    layout,
    maxRequestTokens: maxRequestTokens({ ...size, layout }, main.trainContextSize),
    kvCacheTypes: settings.kvCacheTypes,
    main: await planModel(main, gpuLayers.main, { ...settings, ...size, layout }),
    draft:
      draft &&
      (await planModel(draft, gpuLayers.draft, draftOptions(draft, settings, { ...size, layout }))),
    memory,
  };
}

/** In a unified cache a request may have all cells, as far as the model was trained with so many. */
function maxRequestTokens(
  { slots, contextSize, layout }: DividedCache,
  trainContextSize: number,
): number {
  if (layout === "split") return contextSize;
  return Math.max(contextSize, Math.min(slots * contextSize, trainContextSize));
}

/** The model, and its draft model if there is one. */
export function modelsOf({ main, draft }: MemoryPlan): readonly PlannedModel[] {
  return draft === undefined ? [main] : [main, draft];
}

export function gpuLayersOf({ main, draft }: MemoryPlan): GpuLayers {
  return { main: main.gpuLayers, draft: draft?.gpuLayers ?? 0 };
}

/** All parts of a model together. */
export function totalOf({ weights, cache, buffers }: ModelParts): MemoryUse {
  return sumOf([weights, cache, buffers]);
}

/** What a plan takes, with its draft. */
export function useOf(plan: MemoryPlan): MemoryUse {
  return sumOf(modelsOf(plan).map(totalOf));
}

/** Whether a configuration fits into the free memory with a margin, as chosen ones have to. */
export async function fitsComfortably(
  { main, draft, settings, memory }: PlanQuestion,
  gpuLayers: GpuLayers,
  { slots, contextSize, layout }: DividedCache,
): Promise<boolean> {
  const cache = { slots, contextSize, layout };
  const weights = [await main.weights(gpuLayers.main)];
  const contexts = [await main.context(gpuLayers.main, { ...settings, ...cache })];
  if (draft !== undefined) {
    weights.push(await draft.weights(gpuLayers.draft));
    contexts.push(await draft.context(gpuLayers.draft, draftOptions(draft, settings, cache)));
  }
  return leavesMargin(sumOf(weights), sumOf(contexts), memory);
}

/** Whether weights and contexts fit into the free memory with a margin. */
export function leavesMargin(
  weights: MemoryUse,
  contexts: MemoryUse,
  { free, gpu }: MachineMemory,
): boolean {
  const sharedBytes = gpu === "unified" ? weights.gpuBytes + contexts.gpuBytes : 0;
  const cpuRoom = free.cpuBytes - weights.cpuBytes - sharedBytes;
  const gpuRoom = free.gpuBytes - weights.gpuBytes;
  // Weights on the CPU are mapped from their file and may exceed what is free at the moment; a GPU holds its own.
  return (
    contexts.cpuBytes <= Math.max(0, cpuRoom) * MAX_CPU_SHARE &&
    gpuRoom >= 0 &&
    contexts.gpuBytes <= gpuRoom * MAX_GPU_SHARE
  );
}

/**
 * A model goes to the GPU as a whole where one slot fits beside it: that is several times faster. Where
 * layers stay on the CPU anyway, their number leaves room for the usual slots.
 *
 * A draft model goes to the GPU as a whole where it fits: each token waits for several of its passes.
 */
async function chooseGpuLayers(
  question: PlanQuestion,
  layout: CacheLayout["kind"],
): Promise<GpuLayers> {
  const { main, draft, settings, memory } = question;
  if (memory.gpu === "none") return { main: 0, draft: 0 };
  const { gpuLayers: configured } = settings;
  if (configured !== "auto") {
    return {
      main: Math.min(configured, main.layers),
      draft: Math.min(configured, draft?.layers ?? 0),
    };
  }
  const fits = (layers: GpuLayers, slots: number) => fitsGpu(question, layers, { slots, layout });
  const allOfDraft = draft?.layers ?? 0;
  const draftLayers = (await fits({ main: 0, draft: allOfDraft }, 1)) ? allOfDraft : 0;
  const all = { main: main.layers, draft: draftLayers };
  if (await fits(all, 1)) return all;
  const some = await largestFitting({ min: 0, max: main.layers - 1 }, (layers) =>
    fits({ main: layers, draft: draftLayers }, USUAL_SLOTS),
  );
  return { main: some, draft: draftLayers };
}

/** Whether layers fit on the GPU together with the smallest cache that is of use for so many slots. */
function fitsGpu(
  question: PlanQuestion,
  gpuLayers: GpuLayers,
  { slots, layout }: Pick<DividedCache, "slots" | "layout">,
): Promise<boolean> {
  const { main, memory, settings } = question;
  const free = { ...memory.free, cpuBytes: Number.POSITIVE_INFINITY };
  return fitsComfortably({ ...question, memory: { ...memory, free } }, gpuLayers, {
    slots: settings.slots ?? slots,
    contextSize: settings.contextSize ?? Math.min(main.trainContextSize, MIN_USEFUL_CONTEXT_TOKENS),
    layout,
  });
}

type SizedSettings = MemorySettings & DividedCache;

function draftOptions(
  draft: DraftEstimates,
  settings: MemorySettings,
  cache: DividedCache,
): SizedSettings {
  if (draft.follows === "states") return { ...settings, ...cache };
  const { slots, contextSize } = cache;
  const draftSize = { slots, contextSize: draftContextSize(draft, contextSize) };
  return { ...settings, ...draftSize, layout: "split" };
}

/**
 * The dry run tells what a context takes on each device, and not what of it is the cache: its share on
 * a device is that of the layers.
 */
async function planModel(
  model: ModelEstimates,
  gpuLayers: number,
  settings: SizedSettings,
): Promise<PlannedModel> {
  const { slots, contextSize, kvCacheTypes } = settings;
  const { layers } = model;
  assert(0 <= gpuLayers && gpuLayers <= layers, `${gpuLayers} of ${layers} layers on the GPU`);
  const context = await model.context(gpuLayers, settings);
  const kvBytesPerToken = model.kvBytesPerToken(kvCacheTypes);
  const cacheBytes = kvBytesPerToken * contextSize * slots;
  const gpuShare = gpuLayers / layers;
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

/** Bytes of one sequence in the KV cache. */
export function streamBytes({ kvBytesPerToken, contextSize }: PlannedModel): number {
  return kvBytesPerToken * contextSize;
}
