import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, SHIPPED_MODEL } from "../config/settings/settings.js";
import type { ProbedModel } from "../engine/devices/backend-probe.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { ModelSource } from "../engine/loading/model-file.js";
import type { MemoryUse } from "../engine/memory/memory-use.js";
import type { PlacementSettings } from "../engine/native/placement.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { version } from "../version.js";

/**
 * The part of the configuration that the engine is loaded with.
 * @param besides memory that other models take, and that counts as free nevertheless
 */
export function engineSettingsOf(config: Config, besides?: MemoryUse): EngineSettings {
  return {
    modelPath: modelPathOf(config),
    gpu: config.gpu,
    gpuLayers: config.gpuLayers,
    placement: placementOf(config),
    ...(besides !== undefined && { besides }),
    threads: config.threads,
    threadsBatch: config.threadsBatch,
    slots: config.parallel,
    contextSize: config.contextSize,
    batchSize: config.batchSize,
    kvCacheType: config.kvCacheType,
    kvCacheLayout: config.kvCacheLayout,
    itlTargetMs: config.itlTargetMs,
    speculation: config.speculation,
    draftModelPath: config.draftModel,
    toolFormat: config.toolFormat,
    cacheRamMiB: config.cacheRam,
    cacheDir: config.cacheDir,
    cacheDiskMiB: config.cacheDisk,
    slotSavePath: config.slotSavePath,
    seed: config.seed,
    version,
  };
}

/** A model that pools texts, as it is configured. */
export interface ConfiguredPoolingModel {
  readonly source: ModelSource;
  readonly alias: string;
  readonly kind: "embedding" | "reranking";
}

/** The models that are served beside the one that generates text. */
export function poolingModelsOf(config: Config): readonly ConfiguredPoolingModel[] {
  const { embeddingModel, embeddingAlias, rerankingModel, rerankingAlias } = config;
  return [
    ...(embeddingModel === undefined
      ? []
      : [configured("embedding", embeddingModel, embeddingAlias)]),
    ...(rerankingModel === undefined
      ? []
      : [configured("reranking", rerankingModel, rerankingAlias)]),
  ];
}

function configured(
  kind: ConfiguredPoolingModel["kind"],
  path: string,
  alias: string | undefined,
): ConfiguredPoolingModel {
  return { kind, source: { role: `${kind}-model`, path }, alias: alias ?? nameOf(path) };
}

/** The part of the configuration that a pooling model is loaded with. */
export function poolingSettingsOf(
  config: Config,
  { kind, source }: Pick<ConfiguredPoolingModel, "kind" | "source">,
): PoolingSettings {
  return {
    source,
    kind,
    pooling: kind === "embedding" ? config.embeddingPooling : "auto",
    gpu: config.gpu,
    gpuLayers: config.gpuLayers,
    placement: placementOf(config),
    maxInputTokens: config.maxInputTokens,
    threads: config.threads,
    threadsBatch: config.threadsBatch,
    version,
  };
}

/** The files of all models that are configured. */
export function modelSourcesOf(config: Config): readonly ModelSource[] {
  const { noModel, draftModel } = config;
  return [
    ...(noModel ? [] : [{ role: "model", path: modelPathOf(config) } as const]),
    ...(noModel || draftModel === undefined
      ? []
      : [{ role: "draft-model", path: draftModel } as const]),
    ...poolingModelsOf(config).map(({ source }) => source),
  ];
}

/** The model that decides which device is of use: the one that generates text, if there is one. */
export function probedModelOf(config: Config): ProbedModel | undefined {
  if (!config.noModel) return { kind: "generation", settings: engineSettingsOf(config) };
  const [first] = poolingModelsOf(config);
  return first && { kind: "pooling", settings: poolingSettingsOf(config, first) };
}

/** Where the parts of all models go. */
export function placementOf(config: Config): PlacementSettings {
  return {
    devices: config.device,
    mainGpu: config.mainGpu,
    splitMode: config.splitMode,
    tensorSplit: config.tensorSplit,
    overrideTensor: config.overrideTensor,
    cpuMoe: config.cpuMoe,
  };
}

/** The name of the model that generates text. */
export function aliasOf(config: Config): string {
  return config.alias ?? nameOf(modelPathOf(config));
}

function nameOf(path: string): string {
  return basename(path).replace(/\.gguf$/i, "");
}

/** The configured model, or the one that ggufd ships. */
export function modelPathOf({ model }: Config): string {
  return model ?? fileURLToPath(new URL(`../../${SHIPPED_MODEL}`, import.meta.url));
}
