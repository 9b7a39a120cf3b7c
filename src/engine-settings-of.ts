import { fileURLToPath } from "node:url";
import { type Config, SHIPPED_MODEL } from "./config/settings.js";
import type { EngineSettings } from "./engine/engine-settings.js";
import { version } from "./version.js";

/** The part of the configuration that the engine is loaded with. */
export function engineSettingsOf(config: Config): EngineSettings {
  return {
    modelPath: modelPathOf(config),
    gpu: config.gpu,
    gpuLayers: config.gpuLayers,
    placement: {
      devices: config.device,
      mainGpu: config.mainGpu,
      splitMode: config.splitMode,
      tensorSplit: config.tensorSplit,
      overrideTensor: config.overrideTensor,
      cpuMoe: config.cpuMoe,
    },
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
    seed: config.seed,
    version,
  };
}

/** The configured model, or the one that ggufd ships. */
export function modelPathOf({ model }: Config): string {
  return model ?? fileURLToPath(new URL(`../${SHIPPED_MODEL}`, import.meta.url));
}
