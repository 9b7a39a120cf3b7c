import { chatTemplateOf } from "../config/chat-template-file.js";
import {
  type GenerationModelSpec,
  type ModelSpec,
  type PoolingModelSpec,
  projectorOf,
  sourceOf,
} from "../config/model-spec.js";
import type { MemoryUse } from "../core/memory-use.js";
import { withoutAbsent } from "../core/sampling-table.js";
import type { ProbedModel } from "../engine/devices/backend-probe.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { version } from "../version.js";

/**
 * What an engine is loaded with.
 * @param besides memory that other models take, and that counts as free nevertheless
 * @throws {StartupError} a name is not resolved to a file, or the file of a chat template cannot be read
 */
export function engineSettingsOf(spec: GenerationModelSpec, besides?: MemoryUse): EngineSettings {
  const { draft, sampling, maxTokens, kvCacheType, cacheTypeK, cacheTypeV } = spec;
  return {
    modelPath: sourceOf(spec.file).path,
    metadataOverrides: spec.metadataOverrides,
    draftModelPath: typeof draft === "string" ? undefined : draft.path,
    // Without speculation they would take memory for nothing.
    mtp: draft === "auto" && spec.speculation === "auto" ? "auto" : "off",
    gpu: spec.gpu,
    gpuLayers: spec.gpuLayers,
    placement: spec.placement,
    threads: spec.threads,
    threadsBatch: spec.threadsBatch,
    slots: spec.slots,
    contextSize: spec.contextSize,
    rope: spec.rope,
    batchSize: spec.batchSize,
    kvCacheTypes: { keys: cacheTypeK ?? kvCacheType, values: cacheTypeV ?? kvCacheType },
    kvCacheLayout: spec.kvCacheLayout,
    cacheRamMiB: spec.cacheRamMiB,
    cacheDir: spec.cacheDir,
    cacheDiskMiB: spec.cacheDiskMiB,
    slotSavePath: spec.slotSavePath,
    itlTargetMs: spec.itlTargetMs,
    speculation: spec.speculation,
    deviceSampling: spec.deviceSampling,
    toolFormat: spec.toolFormat,
    chatTemplate: chatTemplateOf(spec),
    systemPrompt: spec.systemPrompt,
    // What is not said is left out: the model's file may say it.
    defaults: { sampling: withoutAbsent(sampling), maxTokens },
    adapters: spec.adapters.map((one) =>
      spec.adaptersWhenAsked ? { ...one, use: "when-asked" } : one,
    ),
    projector: projectorSettingsOf(spec),
    failingAdapters: "end-the-start",
    seed: spec.seed,
    ...(besides !== undefined && { besides }),
    version,
  };
}

function projectorSettingsOf(spec: GenerationModelSpec): EngineSettings["projector"] {
  const path = projectorOf(spec);
  if (path === undefined) return undefined;
  const { onCpu, maxMegapixels, maxAudioSeconds, decodeSeconds, cacheMiB } = spec.media;
  return {
    path,
    placement: onCpu ? "cpu" : "gpu",
    maxPixels: maxMegapixels * 1e6,
    maxSeconds: maxAudioSeconds,
    decodeSeconds,
    cacheMiB,
  };
}

/** What a pooling engine is loaded with. A reranker pools as its file says. */
export function poolingSettingsOf(spec: PoolingModelSpec): PoolingSettings {
  const { kind, gpu, gpuLayers, placement, threads, threadsBatch } = spec;
  const { maxInputTokens, metadataOverrides } = spec;
  return {
    kind,
    pooling: spec.kind === "embedding" ? spec.pooling : "auto",
    source: sourceOf<PoolingModelSpec["file"]["role"]>(spec.file),
    ...{ gpu, gpuLayers, placement, threads, threadsBatch, maxInputTokens, metadataOverrides },
    version,
  };
}

/** A model as the processes that probe devices take it. */
export function probedModelOf(spec: ModelSpec): ProbedModel {
  return spec.kind === "generation"
    ? { kind: "generation", settings: engineSettingsOf(spec) }
    : { kind: "pooling", settings: poolingSettingsOf(spec) };
}
