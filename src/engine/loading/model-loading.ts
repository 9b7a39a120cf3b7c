import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import {
  type ContextOptions,
  companionParams,
  nativeContextOptions,
} from "../memory/context-options.js";
import { withContextParams } from "../native/companion/native-params.js";
import type { NativeErrors } from "../native/native-errors.js";
import { contextSubject, type InspectedModel } from "./inspected-model.js";
import type { ModelSource } from "./model-file.js";

export interface LoadOptions {
  /** Layers to offload to the GPU. */
  readonly gpuLayers: number;
  /** Called with the share that is loaded, 0–1. */
  readonly onLoadProgress: (progress: number) => void;
}

/**
 * Loads the weights of a model.
 * @throws {StartupError} with llama.cpp's own message
 */
export async function loadModel(
  llama: Llama,
  { role, path }: ModelSource,
  options: LoadOptions,
  nativeErrors: NativeErrors,
): Promise<LlamaModel> {
  try {
    // Memory is planned by us; the library's own checks are rougher.
    return await llama.loadModel({ modelPath: path, ignoreMemorySafetyChecks: true, ...options });
  } catch (error) {
    const reason = (await nativeErrors.first()) ?? reasonOf(error);
    throw new StartupError(`${role} ${path}: cannot be loaded: ${reason}`, error);
  }
}

/**
 * Creates a context with its KV cache.
 * @throws {StartupError} naming the settings that determine its size
 */
export async function createContext(
  model: LlamaModel,
  file: InspectedModel,
  options: ContextOptions,
  nativeErrors: NativeErrors,
): Promise<LlamaContext> {
  const { role, path } = file;
  const subject = contextSubject(file, model.llama);
  const { kvCacheType: type, ...native } = nativeContextOptions(subject, options);
  try {
    return await withContextParams(companionParams(subject, options), () =>
      model.createContext({
        ...native,
        // Experimental in node-llama-cpp only, not in llama.cpp.
        experimentalKvCacheKeyType: type,
        experimentalKvCacheValueType: type,
        failedCreationRemedy: false,
        ignoreMemorySafetyChecks: true,
      }),
    );
  } catch (error) {
    const reason = (await nativeErrors.first()) ?? reasonOf(error);
    const { slots, contextSize, kvCacheType } = options;
    throw new StartupError(
      `${role} ${path}: no KV cache of ${slots} slots × ${contextSize} tokens in ` +
        `${kvCacheType} (--parallel, --context-size, --kv-cache-type): ${reason}`,
      error,
    );
  }
}
