import assert from "node:assert/strict";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { StartupError } from "../../core/startup-error.js";
import { type ContextOptions, limitDraftContext } from "../memory/context-options.js";
import type { ContextInternals } from "../native/addon.js";
import type { ContextParams } from "../native/companion/native-companion.js";
import { partialTruncationOf } from "../native/kv-cache.js";
import type { NativeErrors } from "../native/native-errors.js";
import type { StateDrafting } from "../native/state-drafts.js";
import {
  describeVocabularyDifference,
  readTokenTable,
} from "../text/vocabulary/draft-vocabulary.js";
import type { InspectedModel } from "./inspected-model.js";
import { createContext, type LoadOptions, loadModel } from "./model-loading.js";
import { checkTokenMap, type PlannedDrafting } from "./planned-drafting.js";

/** A loaded drafter with its context. */
export type LoadedDrafting =
  | { readonly kind: "none" }
  | Extract<StateDrafting, { kind: "mtp" }>
  | (Extract<StateDrafting, { kind: "eagle3" }> & { readonly file: InspectedModel })
  | { readonly kind: "model"; readonly file: InspectedModel; readonly context: LlamaContext };

/**
 * Loads the weights of a draft model or an EAGLE-3 head.
 * @throws {StartupError} the draft cannot be loaded, or cannot propose tokens for the main model
 */
export async function loadDraftWeights(
  llama: Llama,
  file: InspectedModel,
  { main, ...options }: LoadOptions & { readonly main: LlamaModel },
  nativeErrors: NativeErrors,
): Promise<LlamaModel> {
  const createError = (reason: string) => new StartupError(`${file.role} ${file.path}: ${reason}`);
  const isHead = file.metadata.eagle3 !== undefined;
  if (!isHead && partialTruncationOf(main.fileInsights) === "unsupported") {
    throw createError(
      `not usable with a model whose state cannot be truncated (${main.architecture})`,
    );
  }
  if (isHead) await checkTokenMap(file, readTokenTable(main).texts.length);
  const model = await loadModel(llama, file, options, nativeErrors);
  const obstacle = findDraftingObstacle(main, { ...file, model });
  if (obstacle === undefined) return model;
  await model.dispose();
  throw createError(obstacle);
}

/** Returns the reason why a model cannot draft for another one; `undefined` if it can. */
function findDraftingObstacle(
  main: LlamaModel,
  { architecture, metadata, model }: InspectedModel & { readonly model: LlamaModel },
): string | undefined {
  if (!metadata.isCausal) {
    return `an embedding or reranking model (${architecture}), which cannot propose tokens`;
  }
  if (partialTruncationOf(model.fileInsights) === "unsupported") {
    return `its state cannot be truncated (${architecture})`;
  }
  const difference = describeVocabularyDifference(readTokenTable(main), readTokenTable(model));
  return difference && `its vocabulary differs from the model's: ${difference}`;
}

interface DraftContextParts {
  readonly main: {
    readonly file: InspectedModel;
    readonly model: LlamaModel;
    readonly context: LlamaContext;
  };
  /** The model loaded from the draft's file, if there is one. */
  readonly draftModel: LlamaModel | undefined;
  /** The main context's options. */
  readonly options: ContextOptions;
  /** The main context's RoPE parameters, which also apply to the model's own prediction layers. */
  readonly rope: ContextParams;
  readonly nativeErrors: NativeErrors;
}

/**
 * Creates the drafter's context, with as many sequences as the main context. It must be disposed
 * before the main context.
 * @throws {StartupError} names the settings that determine its size
 */
export async function createDraftContext(
  drafting: PlannedDrafting,
  { main, draftModel, options, rope, nativeErrors }: DraftContextParts,
): Promise<LoadedDrafting> {
  if (drafting.kind === "none") return { kind: "none" };
  if (drafting.kind === "mtp") {
    const params = { mtpLayers: true, ...rope };
    const context = await createContext(main.model, main.file, options, nativeErrors, params);
    return { kind: "mtp", context, layers: drafting.layers };
  }
  assert(draftModel !== undefined, "the draft file is not loaded");
  const { file } = drafting;
  if (drafting.kind === "model") {
    const contextSize = limitDraftContext(draftModel, options.contextSize);
    const draftOptions = { ...options, contextSize, layout: "split" } as const;
    return {
      kind: "model",
      file,
      context: await createContext(draftModel, file, draftOptions, nativeErrors),
    };
  }
  const target = (main.context as unknown as ContextInternals)._ctx;
  const context = await createContext(draftModel, file, options, nativeErrors, { target });
  return { kind: "eagle3", file, context, targetLayers: drafting.targetLayers };
}
