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
 * What an engine is loaded with: the model, with what follows from several of its fields.
 * @param besides memory that other models take, and that counts as free nevertheless
 * @throws {StartupError} a name is not resolved to a file, or the file of a chat template cannot be read
 */
export function engineSettingsOf(spec: GenerationModelSpec, besides?: MemoryUse): EngineSettings {
  const { draft, sampling, maxTokens, kvCacheType, cacheTypeK, cacheTypeV } = spec;
  return {
    ...spec,
    modelPath: sourceOf(spec.file).path,
    draftModelPath: typeof draft === "string" ? undefined : draft.path,
    // Without speculation they would take memory for nothing.
    mtp: draft === "auto" && spec.speculation === "auto" ? "auto" : "off",
    kvCacheTypes: { keys: cacheTypeK ?? kvCacheType, values: cacheTypeV ?? kvCacheType },
    chatTemplate: chatTemplateOf(spec),
    // Absent values are left out: the model's file may have them.
    defaults: { sampling: withoutAbsent(sampling), maxTokens },
    adapters: spec.adapters.map((one) =>
      spec.adaptersWhenAsked ? { ...one, use: "when-asked" } : one,
    ),
    projector: projectorSettingsOf(spec),
    failingAdapters: "end-the-start",
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
  return {
    ...spec,
    pooling: spec.kind === "embedding" ? spec.pooling : "auto",
    source: sourceOf<PoolingModelSpec["file"]["role"]>(spec.file),
    version,
  };
}

/** A model as the processes that probe devices take it. */
export function probedModelOf(spec: ModelSpec): ProbedModel {
  return spec.kind === "generation"
    ? { kind: "generation", settings: engineSettingsOf(spec) }
    : { kind: "pooling", settings: poolingSettingsOf(spec) };
}
