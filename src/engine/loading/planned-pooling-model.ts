import type { Llama } from "node-llama-cpp";
import type { MetadataOverride } from "../../core/metadata-override.js";
import type { ModelKind } from "../../core/model-directory.js";
import type { Pooling } from "../../core/pooling.js";
import { OtherKindError, StartupError } from "../../core/startup-error.js";
import type { KeptOnCpu } from "../memory/context-options.js";
import type { MachineMemory } from "../memory/machine-memory.js";
import { createDescribedGpuEstimates, createDryRunEstimates } from "../memory/model-estimates.js";
import {
  buildNativePoolingOptions,
  buildPoolingParams,
  computeShortBatchSize,
  type PoolingEstimates,
  type PoolingMemorySettings,
  type PoolingPlan,
  planPooling,
} from "../memory/pooling-plan.js";
import { attachCompanion } from "../native/companion/attach-companion.js";
import type { NativeCompanion } from "../native/companion/native-companion.js";
import {
  type LoadParams,
  withContextParams,
  withModelParams,
} from "../native/companion/native-params.js";
import { canOffload } from "../native/llama-backend.js";
import { buildModelParams, type PlacementSettings } from "../native/placement.js";
import { buildContextSubject, type InspectedModel, inspectModel } from "./inspected-model.js";
import type { ModelSource } from "./model-file.js";
import { kindOf, type ModelMetadata, poolingTypes } from "./model-metadata.js";

/** The pooling model to plan, its pooling method and its devices. */
export interface PoolingModelSettings extends PoolingMemorySettings {
  readonly source: ModelSource;
  readonly kind: Exclude<ModelKind, "generation">;
  /** Pooling method; `auto` uses the file's, which is `none` by default. */
  readonly pooling: Pooling | "auto";
  readonly placement: PlacementSettings;
  /** Metadata values that replace those of the file. */
  readonly metadataOverrides: readonly MetadataOverride[];
}

/** A pooling model that is not loaded yet, with the memory that it will take. */
export interface PlannedPoolingModel {
  readonly file: InspectedModel;
  readonly pooling: Pooling;
  readonly kept: KeptOnCpu;
  readonly plan: PoolingPlan;
  readonly companion: NativeCompanion;
  readonly modelParams: LoadParams;
}

/**
 * Reads a model file and plans its placement.
 * @throws {StartupError} names the file or the flag and the reason
 */
export async function planPoolingModel(
  llama: Llama,
  settings: PoolingModelSettings,
  memory: MachineMemory,
): Promise<PlannedPoolingModel> {
  const { source, placement, metadataOverrides } = settings;
  const companion = await attachCompanion(llama);
  const modelParams = { ...buildModelParams(placement, companion), metadataOverrides };
  const file = await inspectModel(llama, source, metadataOverrides);
  const pooling = selectPooling(settings, file.metadata);
  const plan = await planPooling({
    settings,
    model: estimatePooling(llama, file, { memory, modelParams, pooling, kept: settings }),
    memory,
  });
  return { file, pooling, kept: settings, plan, companion, modelParams };
}

function selectPooling(
  { kind, pooling, source }: PoolingModelSettings,
  metadata: ModelMetadata,
): Pooling {
  const chosenPooling = pooling === "auto" ? metadata.pooling : pooling;
  if (kindOf(metadata) === "reranking" && kind !== "reranking") {
    throw new OtherKindError(
      "reranking",
      `${source.role} ${source.path}: a reranking model, which computes no embeddings (--reranking-model)`,
    );
  }
  if (kind === "reranking" && chosenPooling !== "rank") {
    throw new StartupError(
      `${source.role} ${source.path}: not a reranking model: the pooling type in its file is not rank`,
    );
  }
  // As in llama.cpp.
  return chosenPooling ?? "none";
}

interface EstimateOptions {
  readonly memory: MachineMemory;
  readonly modelParams: LoadParams;
  readonly pooling: Pooling;
  readonly kept: KeptOnCpu;
}

/**
 * Estimates a pooling model's memory. A GPU that this machine lacks is assumed to need as much
 * memory as the CPU.
 */
function estimatePooling(
  llama: Llama,
  file: InspectedModel,
  { memory, modelParams, pooling, kept }: EstimateOptions,
): PoolingEstimates {
  const subject = buildContextSubject(file, llama);
  const { split, unified } = file.insights;
  const isDescribed = !canOffload(llama) && memory.gpu !== "none";
  const { layers, trainContextSize, weights } = isDescribed
    ? createDescribedGpuEstimates(file.insights, subject)
    : createDryRunEstimates(file.insights, subject, modelParams);
  return {
    layers,
    trainContextSize,
    cache: file.metadata.isCausal ? "cells" : "none",
    shortBatchSize: (sequences) => computeShortBatchSize(subject, sequences),
    weights,
    async context(gpuLayers, size) {
      const { cpuRam, gpuVram } = await withModelParams(modelParams, () =>
        withContextParams(buildPoolingParams(size, poolingTypes[pooling], kept), () =>
          (size.sequences > 1 ? unified : split).estimateContextResourceRequirementsV2({
            ...buildNativePoolingOptions(size),
            isEmbeddingContext: true,
            modelGpuLayers: isDescribed ? 0 : gpuLayers,
          }),
        ),
      );
      return isDescribed && gpuLayers > 0
        ? { cpuBytes: 0, gpuBytes: cpuRam }
        : { cpuBytes: cpuRam, gpuBytes: gpuVram };
    },
  };
}
