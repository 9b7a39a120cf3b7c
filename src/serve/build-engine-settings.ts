import {
  type GenerationModelSpec,
  type ModelSpec,
  type PoolingModelSpec,
  projectorOf,
  sourceOf,
} from "../config/model-spec.js";
import { readChatTemplate, readDefaultConstraint } from "../config/setting-files.js";
import type { MemoryUse } from "../core/memory-use.js";
import { withoutAbsent } from "../core/sampling-table.js";
import type { ProbedModel } from "../engine/devices/backend-probe.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { version } from "../version.js";

/**
 * Derives the settings of an engine from a model spec.
 * @param otherModelsMemory memory that other models hold and that counts as free for this one
 * @throws {StartupError} if a name is not resolved to a file, or if the file of a chat template,
 *   grammar or schema cannot be read
 */
export function buildEngineSettings(
  spec: GenerationModelSpec,
  otherModelsMemory?: MemoryUse,
): EngineSettings {
  const { draft, sampling, maxTokens, kvCacheType, cacheTypeK, cacheTypeV } = spec;
  return {
    ...spec,
    modelPath: sourceOf(spec.file).path,
    draftModelPath: typeof draft === "string" ? undefined : draft.path,
    // Without speculation, multi-token prediction layers would use memory for nothing.
    mtp: draft === "auto" && spec.speculation === "auto" ? "auto" : "off",
    kvCacheTypes: { keys: cacheTypeK ?? kvCacheType, values: cacheTypeV ?? kvCacheType },
    chatTemplate: readChatTemplate(spec),
    constraint: readDefaultConstraint(spec),
    templateVariables: buildTemplateVariables(spec),
    // Absent values are omitted, because the model's file may define them.
    defaults: { sampling: withoutAbsent(sampling), maxTokens },
    adapters: spec.adapters.map((one) =>
      spec.adaptersWhenAsked ? { ...one, use: "when-asked" } : one,
    ),
    projector: buildProjectorSettings(spec),
    failingAdapters: "end-the-start",
    ...(otherModelsMemory !== undefined && { otherModelsMemory }),
    version,
  };
}

/** Variables given by name take precedence, as in requests. */
function buildTemplateVariables({
  reasoningEffort,
  templateVariables,
}: GenerationModelSpec): EngineSettings["templateVariables"] {
  if (reasoningEffort === "default") return templateVariables;
  return { reasoning_effort: reasoningEffort, ...templateVariables };
}

function buildProjectorSettings(spec: GenerationModelSpec): EngineSettings["projector"] {
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

/** Derives the settings of a pooling engine. A reranker uses the pooling method of its file. */
export function buildPoolingSettings(spec: PoolingModelSpec): PoolingSettings {
  return {
    ...spec,
    pooling: spec.kind === "embedding" ? spec.pooling : "auto",
    source: sourceOf<PoolingModelSpec["file"]["role"]>(spec.file),
    version,
  };
}

/** Converts a spec to the input of the processes that probe devices. */
export function buildProbedModel(spec: ModelSpec): ProbedModel {
  return spec.kind === "generation"
    ? { kind: "generation", settings: buildEngineSettings(spec) }
    : { kind: "pooling", settings: buildPoolingSettings(spec) };
}
