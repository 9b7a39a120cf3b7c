import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import type { DraftModelDescription } from "../../../core/engine.js";
import { StartupError } from "../../../core/startup-error.js";
import { DraftModel } from "../../speculation/draft-model.js";
import { kvBytesPerToken } from "../kv-cache.js";
import { canCutAnywhere, NativeContext } from "../native-context.js";
import type { NativeComplaints } from "../native-errors.js";
import { readTokenTable, vocabularyDifference } from "../vocabulary/draft-vocabulary.js";
import {
  type ContextOptions,
  createContext,
  type LoadOptions,
  loadModel,
  type ModelSource,
} from "./model-loading.js";
import { readModelMetadata } from "./model-metadata.js";

/**
 * Loads the model that is to propose tokens to another one.
 * @throws {StartupError} when it cannot: it is damaged, or its tokens are not the main model's
 */
export async function loadDraftWeights(
  llama: Llama,
  source: ModelSource,
  { main, ...options }: LoadOptions & { readonly main: LlamaModel },
  complaints: NativeComplaints,
): Promise<LlamaModel> {
  const refusal = (reason: string) => new StartupError(`draft-model ${source.path}: ${reason}`);
  if (!canCutAnywhere(main)) {
    throw refusal(`of no use to a model whose state cannot be cut back (${main.architecture})`);
  }
  const model = await loadModel(llama, source, options, complaints);
  const obstacle = draftingObstacle(main, model);
  if (obstacle === undefined) return model;
  await model.dispose();
  throw refusal(obstacle);
}

/** Makes its context, with a sequence for each of the main model's. */
export async function createDraftContext(
  model: LlamaModel,
  source: ModelSource,
  options: ContextOptions,
  complaints: NativeComplaints,
): Promise<LlamaContext> {
  const contextSize = Math.min(options.contextSize, model.trainContextSize);
  return createContext(model, source, { ...options, contextSize }, complaints);
}

/** A draft model over its context, with as many threads as the main model. */
export function openDraftModel(context: LlamaContext, threads: number): DraftModel {
  const native = new NativeContext(context);
  native.setThreads(threads);
  return new DraftModel({ context: native, contextSize: context.contextSize });
}

/** What is to be told of a draft model. */
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

/** Why a model cannot propose tokens to another one. */
function draftingObstacle(main: LlamaModel, draft: LlamaModel): string | undefined {
  if (!readModelMetadata(draft).isCausal) {
    return `an embedding or reranking model (${draft.architecture}), which cannot propose tokens`;
  }
  if (!canCutAnywhere(draft)) {
    return `its state cannot be cut back (${draft.architecture})`;
  }
  const difference = vocabularyDifference(readTokenTable(main), readTokenTable(draft));
  return difference && `its vocabulary differs from the model's: ${difference}`;
}
