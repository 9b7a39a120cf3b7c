import { setImmediate } from "node:timers/promises";
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { NativeBuild, Offloading } from "../../core/engine.js";
import { NO_MEMORY } from "../../core/memory-use.js";
import { wholeBatchTokens } from "../memory/context-options.js";
import { describePlan } from "../memory/describe-plan.js";
import { readMachineMemory, withoutOtherModels } from "../memory/machine-memory.js";
import { isThrashing } from "../memory/memory-fit.js";
import type { MemoryPlan, ModelParts } from "../memory/memory-plan.js";
import type { ModelParams, NativeCompanion } from "../native/companion/native-companion.js";
import { withModelParams } from "../native/companion/native-params.js";
import {
  type Backend,
  buildOf,
  describeDevice,
  type GpuChoice,
  logTo,
} from "../native/llama-backend.js";
import { NativeErrors, type NativeLog } from "../native/native-errors.js";
import { buildDraftParams, MAIN_MEMORY } from "../native/placement.js";
import { readVocabulary, type Vocabulary } from "../text/vocabulary/vocabulary.js";
import type { InspectedModel } from "./inspected-model.js";
import type { KnownPlan } from "./known-plan.js";
import { createDraftContext, type LoadedDrafting, loadDraftWeights } from "./loaded-drafting.js";
import { createContext, type Disposable, disposeAll, loadModel } from "./model-loading.js";
import { draftFileOf } from "./planned-drafting.js";
import { assertFits, type PlannableModels, planModels } from "./planned-models.js";
import type { ProjectorFile } from "./projector-file.js";

/** Loaded models with their contexts and KV caches. */
export interface LoadedModels {
  readonly model: LlamaModel;
  readonly vocabulary: Vocabulary;
  readonly context: LlamaContext;
  readonly file: InspectedModel;
  readonly plan: MemoryPlan;
  /** The plan in the form that a later load can reuse. */
  readonly knownPlan: KnownPlan;
  readonly companion: NativeCompanion;
  readonly build: NativeBuild;
  /** The device for display, e.g. `CPU` or `CUDA (NVIDIA A10)`. */
  readonly device: string;
  /** Where the main model is computed. */
  readonly offloading: Offloading;
  readonly drafting: LoadedDrafting;
  /** The projector's file, checked but not loaded; `undefined` if the model has none. */
  readonly projector: ProjectorFile | undefined;
  /** Frees all native objects. */
  dispose(): Promise<void>;
}

/** The models to load, their devices and their KV cache. */
export interface ModelSettings extends PlannableModels {
  readonly gpu: GpuChoice;
}

/** Callbacks for events while models are loaded and used. */
export interface ModelHooks {
  readonly log: NativeLog;
  /** Called with the loaded share of all models, 0–1. */
  readonly onProgress: (progress: number) => void;
  /** Called before the weights are loaded, once the placement of the main model is known. */
  readonly onOffloading?: (offloading: Offloading) => void;
  /**
   * Called after repeated batch failures or a GPU failure, before the requests of the last batch
   * fail: only a new process is likely to help. If absent, requests keep failing.
   */
  readonly onBroken?: (reason: string) => void;
}

/**
 * Loads the model and its drafter.
 * @throws {StartupError} names the file or the device and the reason
 */
export async function openModels(
  llama: Backend,
  settings: PlannableModels,
  hooks: ModelHooks,
): Promise<LoadedModels> {
  const nativeErrors = new NativeErrors(hooks.log);
  const parts: Disposable[] = [];
  const keep = <Part extends Disposable>(part: Part): Part => {
    parts.unshift(part);
    return part;
  };
  try {
    logTo(nativeErrors.log);
    const planned = await planModels(
      llama,
      settings,
      withoutOtherModels(
        settings.otherModelsMemory ?? NO_MEMORY,
        await readMachineMemory(llama, settings.placement),
      ),
    );
    await assertFits(planned);
    const { files, main, drafting, projector, plan, companion, modelParams, rope } = planned;
    if (drafting.kind === "none" && drafting.reason !== undefined) {
      hooks.log("info", `layers for multi-token prediction not used: ${drafting.reason}`);
    }
    for (const line of describePlan(plan)) hooks.log("info", line);
    if (isThrashing(plan)) {
      hooks.log(
        "warn",
        "the weights exceed the free memory: they are read from their file repeatedly",
      );
    }
    const offloading = offloadingOf(plan.main, modelParams);
    hooks.onOffloading?.(offloading);
    const draftFile = draftFileOf(drafting);
    const totalBytes = main.sizeBytes + (draftFile?.sizeBytes ?? 0);
    const onLoadProgress =
      ({ sizeBytes }: InspectedModel, loadedBytes: number) =>
      (done: number) =>
        hooks.onProgress((loadedBytes + done * sizeBytes) / totalBytes);
    const reading = settings.placement;
    const model = keep(
      await withModelParams(modelParams, () =>
        loadModel(
          llama,
          main,
          { gpuLayers: plan.main.gpuLayers, reading, onLoadProgress: onLoadProgress(main, 0) },
          nativeErrors,
        ),
      ),
    );
    const draftModel =
      draftFile &&
      keep(
        await withModelParams(buildDraftParams(modelParams), () =>
          loadDraftWeights(
            llama,
            draftFile,
            {
              main: model,
              gpuLayers: plan.draft?.gpuLayers ?? 0,
              reading,
              onLoadProgress: onLoadProgress(draftFile, main.sizeBytes),
            },
            nativeErrors,
          ),
        ),
      );
    const { slots, contextSize, layout } = plan;
    // The cells of an image may have to be evaluated in one pass.
    const batchSize = projector?.areCellsWhole ? wholeBatchTokens(settings) : settings.batchSize;
    const sizes = { ...settings, batchSize, slots, contextSize, layout };
    const [contextResult, vocabularyResult] = await Promise.allSettled([
      createContext(model, main, sizes, nativeErrors, {
        ...rope,
        ...(projector?.areCellsWhole && { microBatchTokens: batchSize }),
      }).then(keep),
      // Reads the vocabulary's texts while a library thread creates the context.
      setImmediate().then(() => readVocabulary(model)),
    ]);
    const [context, vocabulary] = [unwrapResult(contextResult), unwrapResult(vocabularyResult)];
    const loadedDrafting = await createDraftContext(drafting, {
      main: { file: main, model, context },
      draftModel,
      options: sizes,
      rope,
      nativeErrors,
    });
    if (loadedDrafting.kind !== "none") keep(loadedDrafting.context);
    nativeErrors.endLoading();
    return {
      model,
      vocabulary,
      context,
      file: main,
      plan,
      knownPlan: { files, plan },
      companion,
      build: buildOf(llama),
      device: await describeDevice(llama),
      offloading,
      drafting: loadedDrafting,
      projector,
      dispose: () => disposeAll(parts),
    };
  } catch (error) {
    await disposeAll(parts);
    throw error;
  }
}

/** @throws the reason of a rejected promise */
function unwrapResult<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/**
 * Returns where a planned model is computed. Layers whose experts stay in main memory are also
 * computed by the CPU.
 */
export function offloadingOf(
  { gpuLayers, layers }: Pick<ModelParts, "gpuLayers" | "layers">,
  { overrides = [] }: Pick<ModelParams, "overrides">,
): Offloading {
  if (gpuLayers === 0) return "none";
  const isInMainMemory = overrides.some(({ bufferType }) => bufferType === MAIN_MEMORY);
  return gpuLayers < layers || isInMainMemory ? "some-layers" : "all-layers";
}
