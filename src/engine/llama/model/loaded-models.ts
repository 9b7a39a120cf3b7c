import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { NativeBuild } from "../../../core/engine.js";
import type { EngineHooks, EngineSettings } from "../../engine-settings.js";
import { type CacheSize, chooseCacheSize, kvBytesPerToken } from "../kv-cache.js";
import { buildOf, describeDevice, loadBackend } from "../llama-backend.js";
import { NativeComplaints } from "../native-errors.js";
import { createDraftContext, loadDraftWeights } from "./draft-loading.js";
import { checkModelFile } from "./model-file.js";
import { createContext, loadModel, type ModelSource } from "./model-loading.js";
import { type ModelMetadata, readModelMetadata } from "./model-metadata.js";

/** A model file as it was when it was opened. */
export interface ModelFile extends ModelSource {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** Models with their contexts and KV caches, in the memory of a device. */
export interface LoadedModels {
  readonly model: LlamaModel;
  readonly metadata: ModelMetadata;
  readonly context: LlamaContext;
  readonly cacheSize: CacheSize;
  readonly file: ModelFile;
  readonly build: NativeBuild;
  /** In words. */
  readonly device: string;
  readonly draft: (ModelFile & { readonly context: LlamaContext }) | undefined;
  /** Frees it all. */
  dispose(): Promise<void>;
}

/**
 * Loads the library, the model, and the draft model if there is one.
 * @throws {StartupError} naming the file or the device and what is wrong with it
 */
export async function openModels(
  settings: EngineSettings,
  hooks: Pick<EngineHooks, "log" | "onProgress">,
): Promise<LoadedModels> {
  const { modelPath, draftModelPath, gpuLayers } = settings;
  const file = await modelFile({ role: "model", path: modelPath });
  const draftFile =
    draftModelPath === undefined
      ? undefined
      : await modelFile({ role: "draft-model", path: draftModelPath });
  const complaints = new NativeComplaints(hooks.log);
  const opened: Disposable[] = [];
  const keep = <Part extends Disposable>(part: Part): Part => {
    opened.unshift(part);
    return part;
  };
  try {
    const llama = keep(await loadBackend({ gpu: settings.gpu, log: complaints.log }));
    const totalBytes = file.sizeBytes + (draftFile?.sizeBytes ?? 0);
    const loading = ({ sizeBytes }: ModelFile, loadedBytes: number) => ({
      gpuLayers,
      onLoadProgress: (done: number) =>
        hooks.onProgress((loadedBytes + done * sizeBytes) / totalBytes),
    });
    const model = keep(await loadModel(llama, file, loading(file, 0), complaints));
    const draftModel =
      draftFile &&
      keep(
        await loadDraftWeights(
          llama,
          draftFile,
          { main: model, ...loading(draftFile, file.sizeBytes) },
          complaints,
        ),
      );
    const cacheSize = await fittingCacheSize(model, draftModel, settings);
    const sizes = { ...settings, ...cacheSize };
    const context = keep(await createContext(model, file, sizes, complaints));
    const draftContext =
      draftFile &&
      draftModel &&
      keep(await createDraftContext(draftModel, draftFile, sizes, complaints));
    complaints.release();
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

interface Disposable {
  dispose(): Promise<void>;
}

async function modelFile(source: ModelSource): Promise<ModelFile> {
  return { ...source, ...(await checkModelFile(source)) };
}

/** Frees what was loaded, the dependent parts first: else the library hangs. */
async function disposeAll(parts: readonly Disposable[]): Promise<void> {
  for (const part of parts) await part.dispose();
}

async function fittingCacheSize(
  model: LlamaModel,
  draft: LlamaModel | undefined,
  { slots, contextSize, kvCacheType }: EngineSettings,
): Promise<CacheSize> {
  const models = draft === undefined ? [model] : [model, draft];
  const onGpu = model.llama.gpu !== false;
  return chooseCacheSize({
    slots,
    contextSize,
    trainContextSize: model.trainContextSize,
    bytesPerToken: models
      .map((one) => kvBytesPerToken(readModelMetadata(one).attention, kvCacheType))
      .reduce((sum, bytes) => sum + bytes, 0),
    freeBytes: onGpu ? (await model.llama.getVramState()).free : process.availableMemory(),
  });
}
