import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import type { DraftModelDescription } from "../../core/engine.js";
import { StartupError } from "../../core/startup-error.js";
import { type ContextOptions, draftContextSize } from "../memory/context-options.js";
import type { PlannedModel } from "../memory/memory-plan.js";
import type { NativeErrors } from "../native/native-errors.js";
import { partialTruncationOf } from "../native/partial-truncation.js";
import { readTokenTable, vocabularyDifference } from "../text/vocabulary/draft-vocabulary.js";
import type { InspectedModel } from "./inspected-model.js";
import { createContext, type LoadOptions, loadModel } from "./model-loading.js";

/**
 * Loads the weights of a draft model.
 * @throws {StartupError} when it cannot be loaded, or cannot serve as a draft model of the main one
 */
export async function loadDraftWeights(
  llama: Llama,
  source: InspectedModel,
  { main, ...options }: LoadOptions & { readonly main: LlamaModel },
  nativeErrors: NativeErrors,
): Promise<LlamaModel> {
  const refusal = (reason: string) => new StartupError(`draft-model ${source.path}: ${reason}`);
  if (partialTruncationOf(main.fileInsights) === "unsupported") {
    throw refusal(`not usable with a model whose state cannot be truncated (${main.architecture})`);
  }
  const model = await loadModel(llama, source, options, nativeErrors);
  const obstacle = draftingObstacle(main, { ...source, model });
  if (obstacle === undefined) return model;
  await model.dispose();
  throw refusal(obstacle);
}

/** Creates the draft model's context, with as many sequences as the main model's. */
export async function createDraftContext(
  model: LlamaModel,
  source: InspectedModel,
  options: ContextOptions,
  nativeErrors: NativeErrors,
): Promise<LlamaContext> {
  const contextSize = draftContextSize(model, options.contextSize);
  return createContext(model, source, { ...options, contextSize, layout: "split" }, nativeErrors);
}

/** The description of a loaded draft model. */
export function describeDraftModel(
  { path, architecture, sizeBytes, metadata }: InspectedModel,
  { cache, contextSize }: PlannedModel,
): DraftModelDescription {
  const { parameters } = metadata;
  const kvCacheBytes = cache.cpuBytes + cache.gpuBytes;
  return { path, architecture, parameters, sizeBytes, contextSize, kvCacheBytes };
}

/** Why a model cannot be the draft model of another one; `undefined`: it can. */
function draftingObstacle(
  main: LlamaModel,
  { architecture, metadata, model }: InspectedModel & { readonly model: LlamaModel },
): string | undefined {
  if (!metadata.isCausal) {
    return `an embedding or reranking model (${architecture}), which cannot propose tokens`;
  }
  if (partialTruncationOf(model.fileInsights) === "unsupported") {
    return `its state cannot be truncated (${architecture})`;
  }
  const difference = vocabularyDifference(readTokenTable(main), readTokenTable(model));
  return difference && `its vocabulary differs from the model's: ${difference}`;
}
