import { createHash } from "node:crypto";
import type { EngineDescription } from "../core/engine.js";
import type { EngineSettings } from "./engine-settings.js";
import { kvBytesPerToken } from "./llama/kv-cache.js";
import { describeDraftModel } from "./llama/model/draft-loading.js";
import type { LoadedModels, ModelFile } from "./llama/model/loaded-models.js";
import type { Vocabulary } from "./llama/vocabulary/vocabulary.js";

export interface DescribedEngine {
  readonly settings: EngineSettings;
  readonly models: LoadedModels;
  readonly vocabulary: Pick<Vocabulary, "size">;
  readonly threads: number;
}

/** The description of a loaded engine. */
export function describeEngine(engine: DescribedEngine): EngineDescription {
  const { settings, models, vocabulary, threads } = engine;
  const { model, metadata, context, file, build, device, draft } = models;
  const { slots, contextSize } = models.cacheSize;
  return {
    model: {
      path: settings.modelPath,
      name: metadata.name,
      architecture: model.architecture,
      parameters: metadata.parameters,
      sizeBytes: file.sizeBytes,
      trainContextSize: model.trainContextSize,
      contextSize,
      vocabularySize: vocabulary.size,
      fingerprint: modelFingerprint(settings, file),
    },
    slots,
    batchSize: context.batchSize,
    threads,
    kvCache: {
      type: settings.kvCacheType,
      bytes: kvBytesPerToken(metadata.attention, settings.kvCacheType) * contextSize * slots,
    },
    device,
    build,
    draftModel: draft && describeDraftModel(draft.context, { ...settings, ...draft, slots }),
  };
}

/** Identifies a model file together with the server's version. */
export function modelFingerprint(
  { modelPath, version }: Pick<EngineSettings, "modelPath" | "version">,
  { sizeBytes, modifiedMs }: Pick<ModelFile, "sizeBytes" | "modifiedMs">,
): string {
  const identity = `${version}\n${modelPath}\n${sizeBytes}\n${modifiedMs}`;
  return `ggufd_${createHash("sha256").update(identity).digest("hex").slice(0, 12)}`;
}
