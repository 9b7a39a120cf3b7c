import type { Llama } from "node-llama-cpp";
import type { AdapterSpec } from "../../core/adapters.js";
import type { MemoryUse } from "../../core/memory-use.js";
import type { MetadataOverride } from "../../core/metadata-override.js";
import { OtherKindError, StartupError } from "../../core/startup-error.js";
import { sumOf } from "../../core/sum-of.js";
import { withAdapters } from "../memory/adapters-memory.js";
import type { MachineMemory } from "../memory/machine-memory.js";
import { fittingFlags, shortageOf } from "../memory/memory-fit.js";
import {
  type DraftEstimates,
  type MemoryPlan,
  type MemorySettings,
  type PlanQuestion,
  planMemory,
} from "../memory/memory-plan.js";
import {
  describedGpuEstimates,
  dryRunEstimates,
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
import { draftParamsOf, modelParamsOf, type PlacementSettings } from "../native/placement.js";
import { type RopeSettings, ropeParamsOf, scaledContextSize } from "../native/rope.js";
import { tensorBlocks } from "../native/tensor-blocks.js";
import { contextSubject, type InspectedModel, inspectModel } from "./inspected-model.js";
import { type FileStamp, type KnownPlan, planAgain, stampOf } from "./known-plan.js";
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

/** What is planned: which models, where, and with what KV cache. */
export interface PlannableModels extends DraftingSettings, MemorySettings {
  readonly modelPath: string;
  /** Values of its file that are replaced. */
  readonly metadataOverrides: readonly MetadataOverride[];
  readonly rope: RopeSettings;
  readonly placement: PlacementSettings;
  /** LoRA adapters, of different names. */
  readonly adapters: readonly AdapterSpec[];
  /** What gives it images and audio; absent: it has text alone. */
  readonly projector?: ProjectorSettings | undefined;
  /** Memory that models in other processes take, and that counts as free nevertheless. */
  readonly besides?: MemoryUse;
  /** Of an earlier load with these settings. */
  readonly knownPlan?: KnownPlan | undefined;
}

/** Models that are not loaded yet, with the memory that they are going to take. */
export interface PlannedModels {
  /** All that are read. */
  readonly files: readonly FileStamp[];
  readonly main: InspectedModel;
  readonly drafting: PlannedDrafting;
  readonly projector: ProjectorFile | undefined;
  readonly question: PlanQuestion;
  readonly plan: MemoryPlan;
  readonly companion: NativeCompanion;
  /** What the main model is loaded with. */
  readonly modelParams: LoadParams;
  /** What its contexts are created with. */
  readonly rope: ContextParams;
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
  const companion = await attachCompanion(llama);
  const { metadataOverrides } = settings;
  const placement = { ...modelParamsOf(settings.placement, companion), metadataOverrides };
  const rope = ropeParamsOf(settings.rope);
  const source = { role: "model", path: settings.modelPath } as const;
  const main = await inspectModel(llama, source, metadataOverrides);
  rejectPoolingModel(main);
  rejectDraftAlone(main);
  const drafting = await planDrafting(llama, settings, main, companion);
  const modelParams = drafting.kind === "mtp" ? { ...placement, mtpLayers: true } : placement;
  const obstacle = unifiedCacheObstacle(main);
  if (obstacle !== undefined && settings.kvCacheLayout === "unified") {
    throw new StartupError(`--kv-cache-layout unified: expected ${obstacle}`);
  }
  const isDescribed = llama.gpu === false && memory.gpu !== "none";
  const estimatesOf = isDescribed ? describedGpuEstimates : dryRunEstimates;
  const adapters = await adapterFiles(settings.adapters);
  const projector =
    settings.projector && (await readProjectorFile(settings.projector.path, tensorBlocks(llama)));
  const companions = projector === undefined ? adapters : [...adapters, projector];
  const estimates = withAdapters(
    mainEstimates({ llama, main, drafting, modelParams, estimatesOf }),
    sumOf(companions, ({ sizeBytes }) => sizeBytes),
  );
  const question = {
    settings,
    main: {
      ...estimates,
      trainContextSize: scaledContextSize(settings.rope, {
        trainTokens: estimates.trainContextSize,
        originalTokens: main.metadata.ropeOriginalContext,
      }),
    },
    draft: draftEstimates({ llama, main, drafting, modelParams, estimatesOf }),
    memory,
    unified: obstacle === undefined ? ("possible" as const) : ("impossible" as const),
  };
  const draft = draftFileOf(drafting);
  const files = [main, ...(draft === undefined ? [] : [draft]), ...companions].map(stampOf);
  const plan = planAgain(settings.knownPlan, files, memory) ?? (await planMemory(question));
  return { files, main, drafting, projector, question, plan, companion, modelParams, rope };
}

interface EstimatedModels {
  readonly llama: Llama;
  readonly main: InspectedModel;
  readonly drafting: PlannedDrafting;
  /** What the main model is loaded with. */
  readonly modelParams: LoadParams;
  readonly estimatesOf: typeof dryRunEstimates;
}

/** Of the model, with what follows its hidden states. */
function mainEstimates({
  llama,
  main,
  drafting,
  modelParams,
  estimatesOf,
}: EstimatedModels): ModelEstimates {
  const subject = contextSubject(main, llama);
  const estimates = estimatesOf(main.insights, subject, modelParams);
  const width = main.metadata.embeddingLength;
  switch (drafting.kind) {
    case "none":
    case "model":
      return estimates;
    case "eagle3":
      return withHiddenStates(estimates, drafting.targetLayers.length * width);
    case "mtp": {
      const layers = estimatesOf(main.mtpInsights, subject, modelParams, { mtpLayers: true });
      return withMtpContext(estimates, layers, width);
    }
  }
}

/** Of the model in the draft's file. */
function draftEstimates({
  llama,
  drafting,
  modelParams,
  estimatesOf,
}: EstimatedModels): DraftEstimates | undefined {
  if (drafting.kind === "none" || drafting.kind === "mtp") return undefined;
  const { file } = drafting;
  const estimates = estimatesOf(
    file.insights,
    contextSubject(file, llama),
    draftParamsOf(modelParams),
  );
  if (drafting.kind === "model") return { ...estimates, follows: "texts" };
  return { ...withHeadContext(estimates, file.metadata), follows: "states" };
}

/** One that cannot be read is refused, or left out, when it is loaded. */
async function adapterFiles(adapters: readonly AdapterSpec[]): Promise<readonly FileStamp[]> {
  const files = await Promise.all(
    [...new Set(adapters.map(({ path }) => path))].map(async (path) => {
      const file = await statPart(path).catch(() => undefined);
      return file && { path, ...file };
    }),
  );
  return files.filter((file) => file !== undefined);
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
function unifiedCacheObstacle({ architecture, insights }: InspectedModel): string | undefined {
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
  const { slots, contextSize, kvCacheTypes } = plan;
  throw new StartupError(
    `model ${main.path}: ${slots} slots × ${contextSize} tokens in ${describeKvCacheTypes(kvCacheTypes)} do not fit: ` +
      `${shortage}; ${advice}`,
  );
}
