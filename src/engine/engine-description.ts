import { createHash } from "node:crypto";
import type { EngineDescription, ThreadCounts } from "../core/engine.js";
import type { EngineSettings } from "./engine-settings.js";
import { describeDraftModel } from "./llama/model/draft-loading.js";
import type { InspectedModel } from "./llama/model/inspected-model.js";
import type { LoadedModels } from "./llama/model/loaded-models.js";
import type { Vocabulary } from "./llama/vocabulary/vocabulary.js";
import type { PromptPreparer } from "./prompt-preparer.js";

export interface DescribedEngine {
  readonly settings: EngineSettings;
  readonly models: LoadedModels;
  readonly vocabulary: Pick<Vocabulary, "size">;
  readonly threads: ThreadCounts;
  readonly preparer: Pick<PromptPreparer, "outputFormat" | "rendersReasoning">;
}

/** The description of a loaded engine. */
export function describeEngine(engine: DescribedEngine): EngineDescription {
  const { settings, models, vocabulary, threads, preparer } = engine;
  const { model, context, file, plan, build, device, draft } = models;
  const { slots, maxRequestTokens, kvCacheType, layout } = plan;
  const { cache } = plan.main;
  return {
    model: {
      path: settings.modelPath,
      name: file.metadata.name,
      architecture: model.architecture,
      parameters: file.metadata.parameters,
      sizeBytes: file.sizeBytes,
      trainContextSize: model.trainContextSize,
      contextSize: maxRequestTokens,
      vocabularySize: vocabulary.size,
      quantization: file.metadata.quantization,
      fingerprint: modelFingerprint(settings, file),
    },
    slots,
    batchSize: context.batchSize,
    threads,
    kvCache: { type: kvCacheType, layout, bytes: cache.cpuBytes + cache.gpuBytes },
    device,
    build,
    outputFormat: preparer.outputFormat,
    rendersReasoning: preparer.rendersReasoning,
    draftModel: draft && plan.draft && describeDraftModel(draft, plan.draft),
  };
}

/** Identifies a model file together with the server's version. */
export function modelFingerprint(
  { modelPath, version }: Pick<EngineSettings, "modelPath" | "version">,
  { sizeBytes, modifiedMs }: Pick<InspectedModel, "sizeBytes" | "modifiedMs">,
): string {
  const identity = `${version}\n${modelPath}\n${sizeBytes}\n${modifiedMs}`;
  return `ggufd_${createHash("sha256").update(identity).digest("hex").slice(0, 12)}`;
}
