import type { Llama } from "node-llama-cpp";
import { OtherKindError, StartupError } from "../../core/startup-error.js";
import type { MachineMemory } from "../memory/machine-memory.js";
import { fittingFlags, shortageOf } from "../memory/memory-fit.js";
import {
  type MemoryPlan,
  type MemorySettings,
  type PlanQuestion,
  planMemory,
} from "../memory/memory-plan.js";
import type { MemoryUse } from "../memory/memory-use.js";
import { describedGpuEstimates, dryRunEstimates } from "../memory/model-estimates.js";
import { attachCompanion, type Companion } from "../native/companion/attach-companion.js";
import type { ModelParams } from "../native/companion/native-companion.js";
import { partialTruncationOf } from "../native/kv-cache.js";
import { draftParamsOf, modelParamsOf, type PlacementSettings } from "../native/placement.js";
import { contextSubject, type InspectedModel, inspectModel } from "./inspected-model.js";
import { kindOf } from "./model-metadata.js";

/** The files of a model and its draft model. */
export interface ModelPaths {
  readonly modelPath: string;
  /** A small model of the same vocabulary that proposes tokens. */
  readonly draftModelPath: string | undefined;
}

/** What is planned: which models, where, and with what KV cache. */
export interface PlannableModels extends ModelPaths, MemorySettings {
  readonly placement: PlacementSettings;
  /** Memory that models in other processes take, and that counts as free nevertheless. */
  readonly besides?: MemoryUse;
}

/** Models that are not loaded yet, with the memory that they are going to take. */
export interface PlannedModels {
  readonly main: InspectedModel;
  readonly draft: InspectedModel | undefined;
  readonly question: PlanQuestion;
  readonly plan: MemoryPlan;
  readonly companion: Companion;
  /** What the main model is loaded with. */
  readonly modelParams: ModelParams;
}

/**
 * Reads the model files and plans where their parts go.
 * @param memory of this machine, or of a described one, which may have a GPU that this one lacks
 * @throws {StartupError} naming the file and the reason
 */
export async function planModels(
  llama: Llama,
  settings: PlannableModels,
  memory: MachineMemory,
): Promise<PlannedModels> {
  const { modelPath, draftModelPath } = settings;
  const companion = await attachCompanion(llama);
  const modelParams = modelParamsOf(settings.placement, companion);
  const main = await inspectModel(llama, { role: "model", path: modelPath });
  rejectPoolingModel(main);
  const draft =
    draftModelPath === undefined
      ? undefined
      : await inspectModel(llama, { role: "draft", path: draftModelPath });
  const obstacle = unifiedCacheObstacle(main, companion);
  if (obstacle !== undefined && settings.kvCacheLayout === "unified") {
    throw new StartupError(`--kv-cache-layout unified: expected ${obstacle}`);
  }
  const { gpu } = memory;
  const estimates = (file: InspectedModel, params: ModelParams) =>
    llama.gpu === false && gpu !== "none"
      ? describedGpuEstimates(file.insights, contextSubject(file, llama))
      : dryRunEstimates(file.insights, contextSubject(file, llama), params);
  const question = {
    settings,
    main: estimates(main, modelParams),
    draft: draft && estimates(draft, draftParamsOf(modelParams)),
    memory,
    unified: obstacle === undefined ? ("possible" as const) : ("impossible" as const),
  };
  return { main, draft, question, plan: await planMemory(question), companion, modelParams };
}

/** @throws {OtherKindError} */
function rejectPoolingModel({ architecture, metadata, path }: InspectedModel): void {
  const kind = kindOf(metadata);
  if (kind === "generation") return;
  throw new OtherKindError(
    kind,
    `model ${path}: an embedding or reranking model (${architecture}), which cannot chat`,
  );
}

/** What a unified cache lacks; `undefined`: it can be used. */
function unifiedCacheObstacle(
  { architecture, insights }: InspectedModel,
  companion: Companion,
): string | undefined {
  if (companion.state === "absent") {
    return `the native companion, which is not used: ${companion.reason}`;
  }
  return partialTruncationOf(insights.split) === "supported"
    ? undefined
    : `a model whose states can be truncated, and those of ${architecture} models cannot`;
}

/** @throws {StartupError} when a plan does not fit, with the flags that would */
export async function assertFits({ main, question, plan }: PlannedModels): Promise<void> {
  const shortage = shortageOf(plan);
  if (shortage === undefined) return;
  const flags = await fittingFlags(question, plan);
  const advice =
    flags.length === 0
      ? "no cache fits beside these weights: it takes a smaller model, or fewer bits a weight"
      : `this would fit: ${flags.join(", or ")}`;
  const { slots, contextSize, kvCacheType } = plan;
  throw new StartupError(
    `model ${main.path}: ${slots} slots × ${contextSize} tokens in ${kvCacheType} do not fit: ` +
      `${shortage}; ${advice}`,
  );
}
