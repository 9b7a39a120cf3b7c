import type { Llama } from "node-llama-cpp";
import type { AdapterSpec } from "../../core/adapters.js";
import type { MemoryUse } from "../../core/memory-use.js";
import type { MetadataOverride } from "../../core/metadata-override.js";
import { OtherKindError, StartupError } from "../../core/startup-error.js";
import { sumBy } from "../../core/sum-by.js";
import { withAdapters } from "../memory/adapters-memory.js";
import type { MachineMemory } from "../memory/machine-memory.js";
import { findFittingFlags, findShortage } from "../memory/memory-fit.js";
import {
  type DraftEstimates,
  type MemoryPlan,
  type MemorySettings,
  type PlanInput,
  planMemory,
} from "../memory/memory-plan.js";
import {
  createDescribedGpuEstimates,
  createDryRunEstimates,
  type ModelEstimates,
} from "../memory/model-estimates.js";
import {
  withHeadContext,
  withHiddenStates,
  withMtpContext,
} from "../memory/state-drafts-memory.js";
import { attachCompanion } from "../native/companion/attach-companion.js";
import type { ContextParams, NativeCompanion } from "../native/companion/native-companion.js";
import type { LoadParams } from "../native/companion/native-params.js";
import { describeKvCacheTypes, partialTruncationOf } from "../native/kv-cache.js";
import { canOffload } from "../native/llama-backend.js";
import { buildDraftParams, buildModelParams, type PlacementSettings } from "../native/placement.js";
import { buildRopeParams, computeScaledContextSize, type RopeSettings } from "../native/rope.js";
import { createBlockLookup } from "../native/tensor-blocks.js";
import { buildContextSubject, type InspectedModel, inspectModel } from "./inspected-model.js";
import { type FileStamp, type KnownPlan, reuseKnownPlan, stampOf } from "./known-plan.js";
import { statPart } from "./model-file.js";
import { kindOf } from "./model-metadata.js";
import {
  type DraftingSettings,
  draftFileOf,
  type PlannedDrafting,
  planDrafting,
  rejectDraftAlone,
} from "./planned-drafting.js";
import { type ProjectorFile, type ProjectorSettings, readProjectorFile } from "./projector-file.js";

/** The models to plan, their devices and their KV cache. */
export interface PlannableModels extends DraftingSettings, MemorySettings {
  readonly modelPath: string;
  /** Metadata values that replace those of the main model's file. */
  readonly metadataOverrides: readonly MetadataOverride[];
  readonly rope: RopeSettings;
  readonly placement: PlacementSettings;
  /** LoRA adapters; their names are unique. */
  readonly adapters: readonly AdapterSpec[];
  /** The projector for images and audio; absent if the model only accepts text. */
  readonly projector?: ProjectorSettings | undefined;
  /** Memory of models in other processes that counts as free. */
  readonly otherModelsMemory?: MemoryUse;
  /** Plan of an earlier load with these settings. */
  readonly knownPlan?: KnownPlan | undefined;
}

/** Models that are not loaded yet, with the memory that they will take. */
export interface PlannedModels {
  /** All files that will be read. */
  readonly files: readonly FileStamp[];
  readonly main: InspectedModel;
  readonly drafting: PlannedDrafting;
  readonly projector: ProjectorFile | undefined;
  readonly planInput: PlanInput;
  readonly plan: MemoryPlan;
  readonly companion: NativeCompanion;
  /** Load parameters of the main model. */
  readonly modelParams: LoadParams;
  /** RoPE parameters of the main model's contexts. */
  readonly rope: ContextParams;
}

/**
 * Reads the model files and plans where their parts go.
 * @param memory memory of this machine, or of a described one, which may have a GPU that this one
 *   lacks
 * @throws {StartupError} names the file and the reason
 */
export async function planModels(
  llama: Llama,
  settings: PlannableModels,
  memory: MachineMemory,
): Promise<PlannedModels> {
  const companion = await attachCompanion(llama);
  const { metadataOverrides } = settings;
  const placement = { ...buildModelParams(settings.placement, companion), metadataOverrides };
  const rope = buildRopeParams(settings.rope);
  const source = { role: "model", path: settings.modelPath } as const;
  const main = await inspectModel(llama, source, metadataOverrides);
  rejectPoolingModel(main);
  rejectDraftAlone(main);
  const drafting = await planDrafting(llama, settings, main, companion);
  const modelParams = drafting.kind === "mtp" ? { ...placement, mtpLayers: true } : placement;
  const obstacle = findUnifiedCacheObstacle(main);
  if (obstacle !== undefined && settings.kvCacheLayout === "unified") {
    throw new StartupError(`--kv-cache-layout unified: expected ${obstacle}`);
  }
  const isDescribed = !canOffload(llama) && memory.gpu !== "none";
  const createEstimates = isDescribed ? createDescribedGpuEstimates : createDryRunEstimates;
  const adapters = await findAdapterFiles(settings.adapters);
  const projector =
    settings.projector &&
    (await readProjectorFile(settings.projector.path, createBlockLookup(llama)));
  const companions = projector === undefined ? adapters : [...adapters, projector];
  const estimates = withAdapters(
    estimateMain({ llama, main, drafting, modelParams, createEstimates }),
    sumBy(companions, ({ sizeBytes }) => sizeBytes),
  );
  const planInput = {
    settings,
    main: {
      ...estimates,
      trainContextSize: computeScaledContextSize(settings.rope, {
        trainTokens: estimates.trainContextSize,
        originalTokens: main.metadata.ropeOriginalContext,
      }),
    },
    draft: estimateDraft({ llama, main, drafting, modelParams, createEstimates }),
    memory,
    unified: obstacle === undefined ? ("possible" as const) : ("impossible" as const),
  };
  const draft = draftFileOf(drafting);
  const files = [main, ...(draft === undefined ? [] : [draft]), ...companions].map(stampOf);
  const plan = reuseKnownPlan(settings.knownPlan, files, memory) ?? (await planMemory(planInput));
  return { files, main, drafting, projector, planInput, plan, companion, modelParams, rope };
}

interface EstimatedModels {
  readonly llama: Llama;
  readonly main: InspectedModel;
  readonly drafting: PlannedDrafting;
  /** Load parameters of the main model. */
  readonly modelParams: LoadParams;
  readonly createEstimates: typeof createDryRunEstimates;
}

/**
 * Returns the estimates of the main model, including its hidden states and its MTP layers if drafts
 * are proposed from them.
 */
function estimateMain({
  llama,
  main,
  drafting,
  modelParams,
  createEstimates,
}: EstimatedModels): ModelEstimates {
  const subject = buildContextSubject(main, llama);
  const estimates = createEstimates(main.insights, subject, modelParams);
  const width = main.metadata.embeddingLength;
  switch (drafting.kind) {
    case "none":
    case "model":
      return estimates;
    case "eagle3":
      return withHiddenStates(estimates, drafting.targetLayers.length * width);
    case "mtp": {
      const layers = createEstimates(main.mtpInsights, subject, modelParams, { mtpLayers: true });
      return withMtpContext(estimates, layers, width);
    }
  }
}

/** Returns the estimates of the model in the draft's file. */
function estimateDraft({
  llama,
  drafting,
  modelParams,
  createEstimates,
}: EstimatedModels): DraftEstimates | undefined {
  if (drafting.kind === "none" || drafting.kind === "mtp") return undefined;
  const { file } = drafting;
  const estimates = createEstimates(
    file.insights,
    buildContextSubject(file, llama),
    buildDraftParams(modelParams),
  );
  if (drafting.kind === "model") return { ...estimates, follows: "texts" };
  return { ...withHeadContext(estimates, file.metadata), follows: "states" };
}

/**
 * Finds the adapters' files. Unreadable ones are skipped here; loading them rejects or omits them.
 */
async function findAdapterFiles(adapters: readonly AdapterSpec[]): Promise<readonly FileStamp[]> {
  const files = await Promise.all(
    [...new Set(adapters.map(({ path }) => path))].map(async (path) => {
      const file = await statPart(path).catch(() => undefined);
      return file && { path, ...file };
    }),
  );
  return files.filter((file) => file !== undefined);
}

/** @throws {OtherKindError} the model is an embedding or reranking model */
function rejectPoolingModel({ architecture, metadata, path }: InspectedModel): void {
  const kind = kindOf(metadata);
  if (kind === "generation") return;
  throw new OtherKindError(
    kind,
    `model ${path}: an embedding or reranking model (${architecture}), which cannot chat`,
  );
}

/** Returns the reason why a unified cache cannot be used; `undefined` if it can. */
function findUnifiedCacheObstacle({ architecture, insights }: InspectedModel): string | undefined {
  return partialTruncationOf(insights.split) === "supported"
    ? undefined
    : `a model whose states can be truncated, got a ${architecture} model`;
}

/** @throws {StartupError} the plan does not fit; names the flags that would make it fit */
export async function assertFits({ main, planInput, plan }: PlannedModels): Promise<void> {
  const shortage = findShortage(plan);
  if (shortage === undefined) return;
  const flags = await findFittingFlags(planInput, plan);
  const advice =
    flags.length === 0
      ? "no cache fits in addition to the weights; use a smaller model or a smaller quantization"
      : `it would fit with ${flags.join(", or with ")}`;
  const { slots, contextSize, kvCacheTypes } = plan;
  throw new StartupError(
    `model ${main.path}: ${slots} slots × ${contextSize} tokens in ${describeKvCacheTypes(kvCacheTypes)} do not fit: ` +
      `${shortage}; ${advice}`,
  );
}
