import type { GenerationModelSpec, ModelSpec, PoolingModelSpec } from "../config/model-spec.js";
import type { ProbedModel } from "../engine/devices/backend-probe.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { MemoryUse } from "../engine/memory/memory-use.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { version } from "../version.js";

/**
 * What an engine is loaded with.
 * @param besides memory that other models take, and that counts as free nevertheless
 */
export function engineSettingsOf(spec: GenerationModelSpec, besides?: MemoryUse): EngineSettings {
  // Its name concerns the daemon, what pools another engine's.
  const { kind: _kind, alias: _alias, ifPooling: _ifPooling, file, draft, ...facts } = spec;
  return {
    ...facts,
    modelPath: file.path,
    draftModelPath: typeof draft === "string" ? undefined : draft.path,
    // Without speculation they would take memory for nothing.
    mtp: draft === "auto" && spec.speculation === "auto" ? "auto" : "off",
    ...(besides !== undefined && { besides }),
    version,
  };
}

/** What a pooling engine is loaded with. A reranker pools as its file says. */
export function poolingSettingsOf(spec: PoolingModelSpec): PoolingSettings {
  const { alias: _alias, file, ...facts } = spec;
  return { pooling: "auto", ...facts, source: file, version };
}

/** A model as the processes that probe devices take it. */
export function probedModelOf(spec: ModelSpec): ProbedModel {
  return spec.kind === "generation"
    ? { kind: "generation", settings: engineSettingsOf(spec) }
    : { kind: "pooling", settings: poolingSettingsOf(spec) };
}
