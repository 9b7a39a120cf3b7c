import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { reasonOf } from "../../../core/reason-of.js";
import { StartupError } from "../../../core/startup-error.js";
import { flashAttention } from "../flash-attention.js";
import type { KvCacheType } from "../kv-cache.js";
import { processorOf } from "../llama-backend.js";
import type { NativeComplaints } from "../native-errors.js";
import { readModelMetadata } from "./model-metadata.js";

/** A model file and what it is for, which is the word that its errors begin with. */
export interface ModelSource {
  readonly role: "model" | "draft-model";
  readonly path: string;
}

export interface LoadOptions {
  /** Layers to put on the GPU. */
  readonly gpuLayers: number | "auto";
  /** Told how much is loaded, 0–1. */
  readonly onLoadProgress: (progress: number) => void;
}

/**
 * Loads the weights of a model.
 * @throws {StartupError} in llama.cpp's words
 */
export async function loadModel(
  llama: Llama,
  { role, path }: ModelSource,
  options: LoadOptions,
  complaints: NativeComplaints,
): Promise<LlamaModel> {
  try {
    return await llama.loadModel({ modelPath: path, ...options });
  } catch (error) {
    const reason = (await complaints.first()) ?? reasonOf(error);
    throw new StartupError(`${role} ${path}: cannot be loaded: ${reason}`, error);
  }
}

export interface ContextOptions {
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly batchSize: number;
  readonly kvCacheType: KvCacheType;
}

/**
 * Makes a context with its KV cache.
 * @throws {StartupError} naming the settings that decide about its size
 */
export async function createContext(
  model: LlamaModel,
  { role, path }: ModelSource,
  { slots, contextSize, batchSize, kvCacheType }: ContextOptions,
  complaints: NativeComplaints,
): Promise<LlamaContext> {
  // The library calls the option experimental; llama.cpp does not.
  const type = kvCacheType.toUpperCase() as Uppercase<KvCacheType>;
  try {
    return await model.createContext({
      sequences: slots,
      contextSize,
      batchSize,
      experimentalKvCacheKeyType: type,
      experimentalKvCacheValueType: type,
      flashAttention: flashAttention({
        attention: readModelMetadata(model).attention,
        kvCacheType,
        contextSize,
        batchSize,
        processor: processorOf(model.llama),
      }),
      failedCreationRemedy: false,
    });
  } catch (error) {
    const reason = (await complaints.first()) ?? reasonOf(error);
    throw new StartupError(
      `${role} ${path}: no KV cache of ${slots} slots × ${contextSize} tokens in ` +
        `${kvCacheType} (--parallel, --context-size, --kv-cache-type): ${reason}`,
      error,
    );
  }
}
