import { createHash } from "node:crypto";
import type { LoadedAdapter } from "../core/adapters.js";
import type { EngineDescription, ModelDescription, ThreadCounts } from "../core/engine.js";
import type { GenerationDefaults } from "../core/generation-request.js";
import type { MediaKind } from "../core/media.js";
import type { PoolingDescription } from "../core/pooling.js";
import { samplingDefaults } from "../core/sampling-table.js";
import {
  describeRejectedBackend,
  foundNoGpu,
  type RejectedBackend,
} from "./devices/choose-backend.js";
import type { EngineSettings } from "./engine-settings.js";
import type { InspectedModel } from "./loading/inspected-model.js";
import type { KnownPlan } from "./loading/known-plan.js";
import type { LoadedModels } from "./loading/loaded-models.js";
import type { LoadedPoolingModel } from "./loading/loaded-pooling-model.js";
import { describeDraftModel } from "./loading/model-loading.js";
import type { PoolingModelSettings } from "./loading/planned-pooling-model.js";
import { sumModelParts, sumPlanMemory } from "./memory/memory-plan.js";
import { describeKvCacheTypes } from "./native/kv-cache.js";
import { type PromptPreparer, selectChatTemplate } from "./prompt-preparer.js";
import type { Vocabulary } from "./text/vocabulary/vocabulary.js";

export interface DescribedEngine {
  readonly settings: EngineSettings;
  /** Configured defaults, completed by the recommendations of the model's file. */
  readonly defaults: GenerationDefaults;
  readonly models: LoadedModels;
  readonly rejectedBackends: readonly RejectedBackend[];
  readonly samplingDevice: string | undefined;
  readonly vocabulary: Pick<Vocabulary, "size" | "infill" | "endOfGeneration">;
  readonly threads: ThreadCounts;
  readonly preparer: Pick<PromptPreparer, "outputFormat" | "rendersReasoning">;
  readonly adapters: readonly LoadedAdapter[];
  readonly media: readonly MediaKind[];
}

/** Description of an engine, with details that only the loading process knows. */
export interface LoadedEngineDescription extends EngineDescription {
  /** Memory plan to reuse on the next load; absent: memory is planned again. */
  readonly knownPlan?: KnownPlan;
  /** `none`: all GPU backends were tried, and found no GPU. */
  readonly gpus?: "none" | "unknown";
}

/** Describes a loaded engine. */
export function describeEngine(engine: DescribedEngine): LoadedEngineDescription {
  const {
    settings,
    defaults,
    models,
    rejectedBackends,
    samplingDevice,
    vocabulary,
    threads,
    preparer,
  } = engine;
  const { model, context, file, plan, build, device, drafting } = models;
  const { slots, maxRequestTokens, kvCacheTypes, layout } = plan;
  const { cache } = plan.main;
  return {
    model: describeFile(file, {
      path: settings.modelPath,
      trainContextSize: model.trainContextSize,
      contextSize: maxRequestTokens,
      vocabularySize: vocabulary.size,
      fingerprint: computeModelFingerprint(settings, file),
      chatTemplate: selectChatTemplate(file.metadata, settings),
    }),
    slots,
    batchSize: context.batchSize,
    threads,
    kvCache: {
      type: describeKvCacheTypes(kvCacheTypes),
      layout,
      bytes: cache.cpuBytes + cache.gpuBytes,
    },
    memory: sumPlanMemory(plan),
    knownPlan: models.knownPlan,
    gpus: device === "CPU" && foundNoGpu(rejectedBackends) ? "none" : "unknown",
    device,
    offloading: models.offloading,
    samplingDevice,
    passedOverDevices: rejectedBackends.map(describeRejectedBackend),
    build,
    defaults: {
      ...defaults,
      sampling: { ...samplingDefaults, ...defaults.sampling },
      seed: settings.seed,
    },
    ...(engine.media.length > 0 && { media: engine.media }),
    ...(engine.adapters.length > 0 && { adapters: engine.adapters }),
    ...(settings.systemPrompt !== undefined && { systemPrompt: settings.systemPrompt }),
    outputFormat: preparer.outputFormat,
    rendersReasoning: preparer.rendersReasoning,
    endTokens: [...vocabulary.endOfGeneration],
    fillsGaps: vocabulary.infill !== undefined,
    ...(drafting.kind === "mtp" && { mtpLayers: drafting.layers }),
    ...("file" in drafting &&
      plan.draft && { draftModel: describeDraftModel(drafting.file, plan.draft) }),
  };
}

export interface DescribedPoolingModel {
  readonly settings: PoolingModelSettings & { readonly version: string };
  readonly loaded: LoadedPoolingModel;
  readonly rejectedBackends: readonly RejectedBackend[];
  readonly vocabulary: Pick<Vocabulary, "size">;
  readonly threads: number;
  readonly vectorLength: number;
}

/**
 * Architectures whose reranking scores llama.cpp converts to probabilities (`build_pooling` in
 * `llama-graph.cpp`).
 */
const SCORING_PROBABILITIES: readonly string[] = ["qwen3", "qwen3vl"];

/** Describes a loaded pooling model. */
export function describePoolingModel(described: DescribedPoolingModel): PoolingDescription {
  const { settings, loaded, rejectedBackends, vocabulary, threads, vectorLength } = described;
  const { model, file, plan, pooling, build, device } = loaded;
  const modelPath = settings.source.path;
  const commonFields = {
    model: describeFile(file, {
      path: modelPath,
      trainContextSize: model.trainContextSize,
      contextSize: plan.maxInputTokens,
      vocabularySize: vocabulary.size,
      fingerprint: computeModelFingerprint({ modelPath, version: settings.version }, file),
    }),
    sequences: plan.sequences,
    threads: { decode: threads, prefill: threads },
    memory: sumModelParts(plan.model),
    device,
    offloading: loaded.offloading,
    passedOverDevices: rejectedBackends.map(describeRejectedBackend),
    build,
  };
  return pooling === "rank"
    ? {
        ...commonFields,
        kind: "reranking",
        pooling,
        scoreScale: SCORING_PROBABILITIES.includes(file.architecture) ? "probability" : "logit",
      }
    : { ...commonFields, kind: "embedding", pooling, dimensions: vectorLength };
}

type FileFields = "name" | "architecture" | "parameters" | "sizeBytes" | "quantization";

function describeFile(
  { architecture, metadata, sizeBytes }: InspectedModel,
  otherFields: Omit<ModelDescription, FileFields>,
): ModelDescription {
  const { name, parameters, quantization } = metadata;
  return {
    ...otherFields,
    name,
    architecture,
    parameters,
    sizeBytes,
    ...(quantization !== undefined && { quantization }),
  };
}

/** Computes the fingerprint of a model file and the server's version. */
export function computeModelFingerprint(
  { modelPath, version }: Pick<EngineSettings, "modelPath" | "version">,
  { sizeBytes, modifiedMs }: Pick<InspectedModel, "sizeBytes" | "modifiedMs">,
): string {
  const identity = `${version}\n${modelPath}\n${sizeBytes}\n${modifiedMs}`;
  return `ggufd_${createHash("sha256").update(identity).digest("hex").slice(0, 12)}`;
}
