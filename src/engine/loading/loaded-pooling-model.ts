import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { NativeBuild, Offloading } from "../../core/engine.js";
import { formatReason } from "../../core/format-reason.js";
import type { Pooling } from "../../core/pooling.js";
import { StartupError } from "../../core/startup-error.js";
import { describePoolingPlan } from "../memory/describe-plan.js";
import { readMachineMemory } from "../memory/machine-memory.js";
import { findModelsShortage } from "../memory/memory-fit.js";
import {
  buildNativePoolingOptions,
  buildPoolingParams,
  type PoolingPlan,
  type PoolingSize,
} from "../memory/pooling-plan.js";
import type { NativeCompanion } from "../native/companion/native-companion.js";
import { withContextParams, withModelParams } from "../native/companion/native-params.js";
import { type Backend, buildOf, describeDevice, logTo } from "../native/llama-backend.js";
import { NativeErrors } from "../native/native-errors.js";
import type { InspectedModel } from "./inspected-model.js";
import { type ModelHooks, offloadingOf } from "./loaded-models.js";
import { disposeAll, loadModel } from "./model-loading.js";
import { poolingTypes } from "./model-metadata.js";
import {
  type PlannedPoolingModel,
  type PoolingModelSettings,
  planPoolingModel,
} from "./planned-pooling-model.js";

/** Contexts that share compute threads. */
export interface PoolingContexts {
  readonly context: LlamaContext;
  /** Context for short batches, if the plan has one. */
  readonly shortContext: LlamaContext | undefined;
}

export interface LoadedPoolingModel {
  readonly model: LlamaModel;
  readonly contexts: PoolingContexts;
  /** Contexts for the second of two concurrent batches, if the plan has one. */
  readonly secondContexts: PoolingContexts | undefined;
  readonly file: InspectedModel;
  readonly pooling: Pooling;
  readonly plan: PoolingPlan;
  readonly companion: NativeCompanion;
  readonly build: NativeBuild;
  /** The device for display, e.g. `CPU` or `CUDA (NVIDIA A10)`. */
  readonly device: string;
  readonly offloading: Offloading;
  /** Frees all native objects. */
  dispose(): Promise<void>;
}

/**
 * Loads a pooling model.
 * @throws {StartupError} names the file or the device and the reason
 */
export async function openPoolingModel(
  llama: Backend,
  settings: PoolingModelSettings,
  hooks: ModelHooks,
): Promise<LoadedPoolingModel> {
  const nativeErrors = new NativeErrors(hooks.log);
  const parts: { dispose(): Promise<void> }[] = [];
  try {
    logTo(nativeErrors.log);
    const memory = await readMachineMemory(llama, settings.placement);
    const planned = await planPoolingModel(llama, settings, memory);
    const { file, pooling, plan, companion, modelParams } = planned;
    assertFits(planned);
    for (const line of describePoolingPlan(plan)) hooks.log("info", line);
    if (pooling === "none" && settings.pooling === "auto") {
      hooks.log(
        "warn",
        `${file.role} ${file.path}: its file has no pooling type, so that each token has a vector, for /embedding only: --embedding-pooling mean, cls or last gives one vector per input`,
      );
    }
    const offloading = offloadingOf(plan.model, modelParams);
    hooks.onOffloading?.(offloading);
    const { gpuLayers } = plan.model;
    const model = await withModelParams(modelParams, () =>
      loadModel(
        llama,
        file,
        { gpuLayers, reading: settings.placement, onLoadProgress: hooks.onProgress },
        nativeErrors,
      ),
    );
    parts.unshift(model);
    const open = async (size: PoolingSize) => {
      const context = await createPoolingContext(model, planned, size, nativeErrors);
      parts.unshift(context);
      return context;
    };
    const openContexts = async (size: PoolingSize): Promise<PoolingContexts> => ({
      context: await open(size),
      shortContext: plan.short && (await open(plan.short)),
    });
    const contexts = await openContexts(plan);
    const secondContexts = plan.second && (await openContexts(plan.second));
    nativeErrors.endLoading();
    return {
      model,
      contexts,
      secondContexts,
      file,
      pooling,
      plan,
      companion,
      build: buildOf(llama),
      device: await describeDevice(llama),
      offloading,
      dispose: () => disposeAll(parts),
    };
  } catch (error) {
    await disposeAll(parts);
    throw error;
  }
}

function assertFits({ file: { role, path }, plan }: PlannedPoolingModel): void {
  const shortage = findModelsShortage([plan.model], plan.memory);
  if (shortage === undefined) return;
  throw new StartupError(
    `${role} ${path}: inputs of ${plan.maxInputTokens} tokens do not fit: ${shortage}`,
  );
}

async function createPoolingContext(
  model: LlamaModel,
  { file, pooling, kept, plan }: PlannedPoolingModel,
  size: PoolingSize,
  nativeErrors: NativeErrors,
): Promise<LlamaContext> {
  // Undocumented options that node-llama-cpp sets for its own embedding and ranking contexts.
  const purpose = { _embeddings: true, _ranking: pooling === "rank" };
  try {
    return await withContextParams(buildPoolingParams(size, poolingTypes[pooling], kept), () =>
      model.createContext({
        ...buildNativePoolingOptions(size),
        ...purpose,
        failedCreationRemedy: false,
        ignoreMemorySafetyChecks: true,
      }),
    );
  } catch (error) {
    const reason = (await nativeErrors.waitForFirst()) ?? formatReason(error);
    throw new StartupError(
      `${file.role} ${file.path}: no context for inputs of ${plan.maxInputTokens} tokens: ${reason}`,
      error,
    );
  }
}
