import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { NativeBuild } from "../../../core/engine.js";
import { type CacheSize, chooseCacheSize } from "../cache-size.js";
import type { KvCacheType } from "../kv-cache.js";
import { buildOf, describeDevice, type GpuChoice, loadBackend } from "../llama-backend.js";
import { NativeErrors, type NativeLog } from "../native-errors.js";
import { createDraftContext, loadDraftWeights } from "./draft-loading.js";
import { fitsMemory, readMemoryBudget } from "./memory-fit.js";
import { checkModelFile } from "./model-file.js";
import { createContext, loadModel, type ModelSource } from "./model-loading.js";
import { type ModelMetadata, readModelMetadata } from "./model-metadata.js";

/** A model file, with its size and modification time when it was opened. */
export interface ModelFile extends ModelSource {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** The loaded models with their contexts and KV caches. */
export interface LoadedModels {
  readonly model: LlamaModel;
  readonly metadata: ModelMetadata;
  readonly context: LlamaContext;
  readonly cacheSize: CacheSize;
  readonly file: ModelFile;
  readonly build: NativeBuild;
  /** For display, e.g. `CPU` or `CUDA (NVIDIA A10)`. */
  readonly device: string;
  readonly draft: (ModelFile & { readonly context: LlamaContext }) | undefined;
  /** Frees everything. */
  dispose(): Promise<void>;
}

/** Which models are loaded, where, and with what KV cache. */
export interface ModelSettings {
  readonly modelPath: string;
  readonly gpu: GpuChoice;
  /** Layers to offload to the GPU. */
  readonly gpuLayers: number | "auto";
  /** Sequences that generate at the same time; `undefined`: chosen by the free memory. */
  readonly slots: number | undefined;
  /** Tokens of one slot; `undefined`: chosen by the free memory. */
  readonly contextSize: number | undefined;
  readonly kvCacheType: KvCacheType;
  /** Tokens that one step evaluates at most. */
  readonly batchSize: number;
  /** A small model of the same vocabulary that proposes tokens. */
  readonly draftModelPath: string | undefined;
}

/** Receives what happens while models are loaded and used. */
export interface ModelHooks {
  readonly log: NativeLog;
  /** Called with the share of the models that is loaded, 0–1. */
  readonly onProgress: (progress: number) => void;
}

/**
 * Loads the native library, the model, and the draft model if there is one.
 * @throws {StartupError} naming the file or the device and the reason
 */
export async function openModels(
  settings: ModelSettings,
  hooks: ModelHooks,
): Promise<LoadedModels> {
  const { modelPath, draftModelPath, gpuLayers } = settings;
  const file = await modelFile({ role: "model", path: modelPath });
  const draftFile =
    draftModelPath === undefined
      ? undefined
      : await modelFile({ role: "draft-model", path: draftModelPath });
  const nativeErrors = new NativeErrors(hooks.log);
  const opened: Disposable[] = [];
  const keep = <Part extends Disposable>(part: Part): Part => {
    opened.unshift(part);
    return part;
  };
  try {
    const llama = keep(await loadBackend({ gpu: settings.gpu, log: nativeErrors.log }));
    const totalBytes = file.sizeBytes + (draftFile?.sizeBytes ?? 0);
    const loading = ({ sizeBytes }: ModelFile, loadedBytes: number) => ({
      gpuLayers,
      onLoadProgress: (done: number) =>
        hooks.onProgress((loadedBytes + done * sizeBytes) / totalBytes),
    });
    const model = keep(await loadModel(llama, file, loading(file, 0), nativeErrors));
    const draftModel =
      draftFile &&
      keep(
        await loadDraftWeights(
          llama,
          draftFile,
          { main: model, ...loading(draftFile, file.sizeBytes) },
          nativeErrors,
        ),
      );
    const cacheSize = await fittingCacheSize(model, draftModel, settings);
    const sizes = { ...settings, ...cacheSize };
    const context = keep(await createContext(model, file, sizes, nativeErrors));
    const draftContext =
      draftFile &&
      draftModel &&
      keep(await createDraftContext(draftModel, draftFile, sizes, nativeErrors));
    nativeErrors.endLoading();
    return {
      model,
      metadata: readModelMetadata(model),
      context,
      cacheSize,
      file,
      build: buildOf(llama),
      device: await describeDevice(llama),
      draft: draftFile && draftContext && { ...draftFile, context: draftContext },
      dispose: () => disposeAll(opened),
    };
  } catch (error) {
    await disposeAll(opened);
    throw error;
  }
}

/** Whether a model's layers are computed on the GPU. */
export function offloadingOf({ gpuLayers, fileInsights }: LlamaModel) {
  if (gpuLayers === 0) return "none";
  return gpuLayers < fileInsights.totalLayers ? "some-layers" : "all-layers";
}

interface Disposable {
  dispose(): Promise<void>;
}

async function modelFile(source: ModelSource): Promise<ModelFile> {
  return { ...source, ...(await checkModelFile(source)) };
}

/** Frees the dependent parts first: otherwise the library hangs. */
async function disposeAll(parts: readonly Disposable[]): Promise<void> {
  for (const part of parts) await part.dispose();
}

async function fittingCacheSize(
  model: LlamaModel,
  draft: LlamaModel | undefined,
  { slots, contextSize, ...options }: ModelSettings,
): Promise<CacheSize> {
  const models = draft === undefined ? [model] : [model, draft];
  const budget = await readMemoryBudget(models);
  return chooseCacheSize({
    slots,
    contextSize,
    trainContextSize: model.trainContextSize,
    fits: (size) => fitsMemory(models, { ...budget, ...options, ...size }),
  });
}
