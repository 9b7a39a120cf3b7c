import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import type { DraftModelDescription } from "../../../core/engine.js";
import { StartupError } from "../../../core/startup-error.js";
import { kvBytesPerToken } from "../kv-cache.js";
import { partialTruncationOf } from "../native-context.js";
import type { NativeErrors } from "../native-errors.js";
import { readTokenTable, vocabularyDifference } from "../vocabulary/draft-vocabulary.js";
import { type ContextOptions, draftContextSize } from "./context-options.js";
import { createContext, type LoadOptions, loadModel, type ModelSource } from "./model-loading.js";
import { readModelMetadata } from "./model-metadata.js";

/**
 * Loads the weights of a draft model.
 * @throws {StartupError} when it cannot be loaded, or cannot serve as a draft model of the main one
 */
export async function loadDraftWeights(
  llama: Llama,
  source: ModelSource,
  { main, ...options }: LoadOptions & { readonly main: LlamaModel },
  nativeErrors: NativeErrors,
): Promise<LlamaModel> {
  const refusal = (reason: string) => new StartupError(`draft-model ${source.path}: ${reason}`);
  if (partialTruncationOf(main) === "unsupported") {
    throw refusal(`not usable with a model whose state cannot be truncated (${main.architecture})`);
  }
  const model = await loadModel(llama, source, options, nativeErrors);
  const obstacle = draftingObstacle(main, model);
  if (obstacle === undefined) return model;
  await model.dispose();
  throw refusal(obstacle);
}

/** Creates the draft model's context, with as many sequences as the main model's. */
export async function createDraftContext(
  model: LlamaModel,
  source: ModelSource,
  options: ContextOptions,
  nativeErrors: NativeErrors,
): Promise<LlamaContext> {
  const contextSize = draftContextSize(model, options.contextSize);
  return createContext(model, source, { ...options, contextSize }, nativeErrors);
}

/** The description of a loaded draft model. */
export function describeDraftModel(
  { model, contextSize }: LlamaContext,
  { path, sizeBytes, slots, kvCacheType }: DescribedDraft,
): DraftModelDescription {
  const { attention, parameters } = readModelMetadata(model);
  return {
    path,
    architecture: model.architecture,
    parameters,
    sizeBytes,
    contextSize,
    kvCacheBytes: kvBytesPerToken(attention, kvCacheType) * contextSize * slots,
  };
}

interface DescribedDraft extends Pick<ContextOptions, "slots" | "kvCacheType"> {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Why a model cannot be the draft model of another one; `undefined`: it can. */
function draftingObstacle(main: LlamaModel, draft: LlamaModel): string | undefined {
  if (!readModelMetadata(draft).isCausal) {
    return `an embedding or reranking model (${draft.architecture}), which cannot propose tokens`;
  }
  if (partialTruncationOf(draft) === "unsupported") {
    return `its state cannot be truncated (${draft.architecture})`;
  }
  const difference = vocabularyDifference(readTokenTable(main), readTokenTable(draft));
  return difference && `its vocabulary differs from the model's: ${difference}`;
}
