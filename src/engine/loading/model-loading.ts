import assert from "node:assert/strict";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import type { DraftModelDescription } from "../../core/engine.js";
import { formatReason } from "../../core/format-reason.js";
import type { MetadataOverride } from "../../core/metadata-override.js";
import { StartupError } from "../../core/startup-error.js";
import {
  buildCompanionParams,
  type ContextOptions,
  toNativeContextOptions,
} from "../memory/context-options.js";
import type { PlannedModel } from "../memory/memory-plan.js";
import { allowOverrides } from "../native/companion/attach-companion.js";
import type { ContextParams } from "../native/companion/native-companion.js";
import { withContextParams, withModelParams } from "../native/companion/native-params.js";
import { describeKvCacheTypes } from "../native/kv-cache.js";
import { loadBackend } from "../native/llama-backend.js";
import { loadInspected } from "../native/load-inspected.js";
import type { NativeErrors } from "../native/native-errors.js";
import type { FileReading } from "../native/placement.js";
import { buildContextSubject, type InspectedModel, inspectModel } from "./inspected-model.js";

export interface LoadOptions {
  /** Number of layers to offload to the GPU. */
  readonly gpuLayers: number;
  readonly reading: FileReading;
  /** Called with the loaded share, 0–1. */
  readonly onLoadProgress: (progress: number) => void;
}

/**
 * Loads the weights of a model.
 * @throws {StartupError} with llama.cpp's own message
 */
export async function loadModel(
  llama: Llama,
  { role, path, insights }: InspectedModel,
  options: LoadOptions,
  nativeErrors: NativeErrors,
): Promise<LlamaModel> {
  assert(options.gpuLayers >= 0, `cannot offload ${options.gpuLayers} layers to the GPU`);
  try {
    return await loadInspected(llama, path, insights.split, options);
  } catch (error) {
    const reason = (await nativeErrors.waitForFirst()) ?? formatReason(error);
    throw new StartupError(`${role} ${path}: cannot be loaded: ${reason}`, error);
  }
}

/**
 * Creates a context with its KV cache.
 * @param params companion parameters in addition to those of every context
 * @throws {StartupError} names the settings that determine its size
 */
export async function createContext(
  model: LlamaModel,
  file: InspectedModel,
  options: ContextOptions,
  nativeErrors: NativeErrors,
  params: ContextParams = {},
): Promise<LlamaContext> {
  const { role, path } = file;
  const subject = buildContextSubject(file, model.llama);
  const { keyType, valueType, ...native } = toNativeContextOptions(subject, options);
  try {
    return await withContextParams({ ...buildCompanionParams(subject, options), ...params }, () =>
      model.createContext({
        ...native,
        // These options are experimental in node-llama-cpp, but not in llama.cpp.
        experimentalKvCacheKeyType: keyType,
        experimentalKvCacheValueType: valueType,
        failedCreationRemedy: false,
        ignoreMemorySafetyChecks: true,
      }),
    );
  } catch (error) {
    const reason = (await nativeErrors.waitForFirst()) ?? formatReason(error);
    const { slots, contextSize, kvCacheTypes } = options;
    throw new StartupError(
      `${role} ${path}: no KV cache of ${slots} slots × ${contextSize} tokens in ` +
        `${describeKvCacheTypes(kvCacheTypes)} (--parallel, --context-size, --kv-cache-type): ${reason}`,
      error,
    );
  }
}

/** Describes a loaded draft model. */
export function describeDraftModel(
  { path, architecture, sizeBytes, metadata }: InspectedModel,
  { cache, contextSize }: PlannedModel,
): DraftModelDescription {
  const { parameters } = metadata;
  const kvCacheBytes = cache.cpuBytes + cache.gpuBytes;
  return { path, architecture, parameters, sizeBytes, contextSize, kvCacheBytes };
}

/**
 * Loads only the vocabulary of a model; its file need not contain weights.
 * @param metadataOverrides metadata values that replace those of the file
 * @throws {StartupError} the file is damaged
 * @throws {Error} llama.cpp cannot load the model
 */
export async function loadVocabularyOnly(
  modelPath: string,
  metadataOverrides: readonly MetadataOverride[] = [],
): Promise<LlamaModel> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  const source = { role: "model", path: modelPath } as const;
  const { insights } = await inspectModel(llama, source, metadataOverrides);
  allowOverrides(llama);
  return withModelParams({ metadataOverrides }, () =>
    loadInspected(llama, modelPath, insights.split, { gpuLayers: 0, parts: "vocabulary" }),
  );
}

/** A native object, which the garbage collector does not free. */
export interface Disposable {
  dispose(): Promise<void>;
}

/**
 * Frees native objects in the given order.
 * @param parts dependent objects first; otherwise the library hangs
 */
export async function disposeAll(parts: readonly Disposable[]): Promise<void> {
  for (const part of parts) await part.dispose();
}
