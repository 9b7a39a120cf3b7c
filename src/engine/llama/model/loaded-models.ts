import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { NativeBuild, Offloading } from "../../../core/engine.js";
import type { Companion } from "../companion/attach-companion.js";
import { withModelParams } from "../companion/native-params.js";
import { buildOf, describeDevice, type GpuChoice, loadBackend } from "../llama-backend.js";
import { describePlan } from "../memory/describe-plan.js";
import { memoryBesides, readMachineMemory } from "../memory/machine-memory.js";
import type { MemoryPlan, MemorySettings, ModelParts } from "../memory/memory-plan.js";
import { isThrashing } from "../memory/memory-shortage.js";
import { type MemoryUse, NO_MEMORY } from "../memory/memory-use.js";
import { NativeErrors, type NativeLog } from "../native-errors.js";
import type { PlacementSettings } from "../placement.js";
import { type Disposable, disposeAll } from "./dispose-all.js";
import { createDraftContext, loadDraftWeights } from "./draft-loading.js";
import type { InspectedModel } from "./inspected-model.js";
import { createContext, loadModel } from "./model-loading.js";
import { assertFits, type ModelPaths, planModels } from "./planned-models.js";

/** The loaded models with their contexts and KV caches. */
export interface LoadedModels {
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly file: InspectedModel;
  readonly plan: MemoryPlan;
  readonly companion: Companion;
  readonly build: NativeBuild;
  /** For display, e.g. `CPU` or `CUDA (NVIDIA A10)`. */
  readonly device: string;
  readonly draft: (InspectedModel & { readonly context: LlamaContext }) | undefined;
  /** Frees everything. */
  dispose(): Promise<void>;
}

/** Which models are loaded, where, and with what KV cache. */
export interface ModelSettings extends ModelPaths, MemorySettings {
  readonly gpu: GpuChoice;
  readonly placement: PlacementSettings;
  /** Memory that models in other processes take, and that counts as free nevertheless. */
  readonly besides?: MemoryUse;
}

/** Receives what happens while models are loaded and used. */
export interface ModelHooks {
  readonly log: NativeLog;
  /** Called with the share of the models that is loaded, 0–1. */
  readonly onProgress: (progress: number) => void;
  /** Called before the weights are loaded, when it is known where the main model computes. */
  readonly onOffloading?: (offloading: Offloading) => void;
  /**
   * Called when batch after batch has failed, before those in the last one are told: only a new process is likely
   * to help. Absent: there is none, and they fail on and on.
   */
  readonly onBroken?: (reason: string) => void;
}

/**
 * Loads the native library, the model, and the draft model if there is one.
 * @throws {StartupError} naming the file or the device and the reason
 */
export async function openModels(
  settings: ModelSettings,
  hooks: ModelHooks,
): Promise<LoadedModels> {
  const nativeErrors = new NativeErrors(hooks.log);
  const opened: Disposable[] = [];
  const keep = <Part extends Disposable>(part: Part): Part => {
    opened.unshift(part);
    return part;
  };
  try {
    const llama = await loadBackend({ gpu: settings.gpu, log: nativeErrors.log });
    const planned = await planModels(
      llama,
      settings,
      memoryBesides(settings.besides ?? NO_MEMORY, await readMachineMemory(llama)),
    );
    await assertFits(planned);
    const { main, draft, plan, companion, modelParams } = planned;
    if (companion.state === "absent") {
      hooks.log("info", `native companion not used: ${companion.reason}`);
    }
    for (const line of describePlan(plan)) hooks.log("info", line);
    if (isThrashing(plan)) {
      hooks.log(
        "warn",
        "the weights exceed the free memory: they are read from their file repeatedly",
      );
    }
    hooks.onOffloading?.(offloadingOf(plan.main));
    const totalBytes = main.sizeBytes + (draft?.sizeBytes ?? 0);
    const onLoadProgress =
      ({ sizeBytes }: InspectedModel, loadedBytes: number) =>
      (done: number) =>
        hooks.onProgress((loadedBytes + done * sizeBytes) / totalBytes);
    const model = keep(
      await withModelParams(modelParams, () =>
        loadModel(
          llama,
          main,
          { gpuLayers: plan.main.gpuLayers, onLoadProgress: onLoadProgress(main, 0) },
          nativeErrors,
        ),
      ),
    );
    const draftModel =
      draft &&
      keep(
        await loadDraftWeights(
          llama,
          draft,
          {
            main: model,
            gpuLayers: plan.draft?.gpuLayers ?? 0,
            onLoadProgress: onLoadProgress(draft, main.sizeBytes),
          },
          nativeErrors,
        ),
      );
    const { slots, contextSize, layout } = plan;
    const sizes = { ...settings, slots, contextSize, layout };
    const context = keep(await createContext(model, main, sizes, nativeErrors));
    const draftContext =
      draft && draftModel && keep(await createDraftContext(draftModel, draft, sizes, nativeErrors));
    nativeErrors.endLoading();
    return {
      model,
      context,
      file: main,
      plan,
      companion,
      build: buildOf(llama),
      device: await describeDevice(llama),
      draft: draft && draftContext && { ...draft, context: draftContext },
      dispose: () => disposeAll(opened),
    };
  } catch (error) {
    await disposeAll(opened);
    throw error;
  }
}

/** Where a planned model computes. */
export function offloadingOf({
  gpuLayers,
  layers,
}: Pick<ModelParts, "gpuLayers" | "layers">): Offloading {
  if (gpuLayers === 0) return "none";
  return gpuLayers < layers ? "some-layers" : "all-layers";
}
