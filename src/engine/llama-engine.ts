import assert from "node:assert/strict";
import type { AdapterChange, LoadedAdapter } from "../core/adapters.js";
import type { EmitGeneration, Engine } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import { GgufdError, toClientError } from "../core/errors.js";
import { isFinal } from "../core/generation-event.js";
import type {
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
} from "../core/generation-request.js";
import { withDefaults } from "../core/sampling-table.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../core/slot-command.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import { GrammarLibrary } from "../grammar/grammar-library.js";
import { beginGeneration } from "./begin-generation.js";
import { openStores } from "./cache/open-stores.js";
import { SlotFiles } from "./cache/slot-files.js";
import { computeStateIdentity } from "./cache/state-files.js";
import type { LimitedReasoning } from "./constraints/limited-reasoning.js";
import { openBackend, type RejectedBackend } from "./devices/choose-backend.js";
import { EngineActivity } from "./engine-activity.js";
import {
  computeModelFingerprint,
  describeEngine,
  type LoadedEngineDescription,
} from "./engine-description.js";
import type { EngineHooks, EngineSettings } from "./engine-settings.js";
import { FailureStreak } from "./failure-streak.js";
import { buildGrammarVocabulary } from "./grammar-vocabulary.js";
import { LazyValue } from "./lazy-value.js";
import { type LoadedModels, openModels } from "./loading/loaded-models.js";
import { readModelContent } from "./loading/model-content.js";
import { MAX_DECODED_AT_ONCE, type MediaDecoder } from "./media/media-decoder.js";
import { openMedia } from "./media/open-media.js";
import { computeStreamBytes, type PlannedModel } from "./memory/memory-plan.js";
import { type Backend, readLibraryVersion } from "./native/llama-backend.js";
import { NativeContext } from "./native/native-context.js";
import { usesWorkers } from "./native/placement.js";
import { openAdapters } from "./open-adapters.js";
import {
  createSpeculator,
  openDraftContext,
  openDrafter,
  stateDraftingOf,
} from "./open-speculation.js";
import { createPreparer } from "./prompt-preparer.js";
import { StepLoop } from "./step/step-loop.js";
import type { FailureScope } from "./step/step-loop-options.js";
import {
  describePrepared,
  type PreparedGeneration,
  PreparedGenerations,
} from "./text/prompt/prepared-generation.js";
import { createBreakerSearch } from "./text/vocabulary/sequence-breakers.js";
import { createContinuationTokenizer } from "./text/vocabulary/vocabulary.js";
import { chooseThreads } from "./threads/choose-threads.js";
import { readCpuTopology } from "./threads/cpu-topology.js";
import { StepThreads } from "./threads/step-threads.js";

/** An engine that also accepts requests prepared by another process. */
export interface LlamaEngine extends Engine {
  readonly description: LoadedEngineDescription;
  /** Holds a prepared request as {@link Engine.prepare} does. */
  hold(prepared: PreparedGeneration): void;
  /**
   * Chunks the media of a request that another process will prepare, and holds them until {@link
   * Engine.release}.
   * @throws {GgufdError} `invalid_request` names the file that cannot be decoded
   */
  divideMedia(request: GenerationRequest): Promise<GenerationRequest>;
}

/**
 * Loads a GGUF model and starts an engine.
 * @param decoder decoder for images and audio, closed by the engine; required with a projector
 * @throws {StartupError} names the file or device and the reason
 */
export async function createLlamaEngine(
  settings: EngineSettings,
  hooks: EngineHooks,
  decoder?: MediaDecoder,
): Promise<LlamaEngine> {
  const { llama, rejectedBackends } = await openBackend(
    settings.gpu,
    { kind: "generation", settings },
    hooks.log,
  );
  const models = await openModels(llama, settings, hooks);
  try {
    return await assemble({ llama, settings, hooks, decoder, models, rejectedBackends });
  } catch (error) {
    await models.dispose();
    throw error;
  }
}

interface EngineParts {
  readonly llama: Backend;
  readonly settings: EngineSettings;
  readonly hooks: EngineHooks;
  readonly decoder: MediaDecoder | undefined;
  readonly models: LoadedModels;
  readonly rejectedBackends: readonly RejectedBackend[];
}

const now = () => performance.now();

async function assemble({
  llama,
  settings,
  hooks,
  decoder,
  models,
  rejectedBackends,
}: EngineParts): Promise<LlamaEngine> {
  const { model, vocabulary, build, plan } = models;
  const { metadata } = models.file;
  const defaults = {
    ...settings.defaults,
    sampling: withDefaults(settings.defaults.sampling, metadata.recommendedSampling),
  };
  const preparer = createPreparer({
    vocabulary,
    metadata,
    contextSize: plan.maxRequestTokens,
    settings,
  });
  const { layout } = plan;
  const cache = { layout, streamBytes: computeStreamBytes(plan.main) };
  const context = new NativeContext(models.context, cache, models.companion, {
    // A worker's device claims to support every operation, and ends its process on one it lacks.
    deviceSampling: usesWorkers(settings.placement) ? "off" : settings.deviceSampling,
    drafting: stateDraftingOf(models.drafting),
  });
  if (settings.deviceSampling === "on" && context.samplingDevice === undefined) {
    hooks.log(
      "warn",
      "--device-sampling on: not supported by the device or its library; sampling on the CPU",
    );
  }
  const fingerprint = computeModelFingerprint(settings, models.file);
  const threads = await chooseThreads(context, settings, {
    build,
    device: models.device,
    gpuWeightBytes: plan.main.weights.gpuBytes,
    offloading: models.offloading,
    modelFingerprint: fingerprint,
  });
  let identity: Promise<string> | undefined;
  const getIdentity = () => {
    identity ??= computeIdentity(models, settings);
    return identity;
  };
  const store = await openStores(context, settings, getIdentity, (message) =>
    hooks.log("warn", message),
  );
  const { slotSavePath } = settings;
  const slotFiles =
    slotSavePath === undefined ? undefined : await SlotFiles.open(slotSavePath, getIdentity);
  if (context.partialTruncation === "unsupported") {
    const reuse =
      store === undefined
        ? "few prefixes are reused with --cache-ram 0"
        : "checkpoints are saved instead";
    hooks.log("warn", `states of ${model.architecture} models cannot be truncated: ${reuse}`);
  }
  const draftContext = openDraftContext(models);
  draftContext?.setThreads(threads);
  const stepThreads = new StepThreads({
    defaultThreads: threads,
    cores: readCpuTopology().performanceCores,
    maxTakenCores: MAX_DECODED_AT_ONCE,
    setThreads: (counts) => {
      context.setThreads(counts);
      draftContext?.setThreads(counts);
    },
  });
  const drafter = openDrafter(models, context, draftContext);
  const activity = new EngineActivity();
  const breakersIn = createBreakerSearch(vocabulary);
  const grammars = new LazyValue(
    () => new GrammarLibrary(buildGrammarVocabulary(vocabulary)),
    () => loop.isIdle,
  );
  const tokenizeContinuation = createContinuationTokenizer(vocabulary);
  const parts = {
    settings,
    defaults,
    vocabulary,
    context,
    breakersIn,
    grammars,
    tokenizeContinuation,
    limitedReasoning: new Map<string, LimitedReasoning>(),
  };
  const { projector } = settings;
  assert(projector === undefined || decoder !== undefined, "a projector needs a decoder");
  const media =
    projector &&
    decoder &&
    (await openMedia({
      ...projector,
      model,
      companion: models.companion,
      decoder,
      threads: threads.prefill,
      runAlongside: (work) => stepThreads.runAlongside(work),
      maxCellsAtOnce: context.batchSize,
      log: hooks.log,
    }));
  const speculator = createSpeculator({ settings, hooks, context, drafter });
  const failures = new FailureStreak(hooks);
  const preparedGenerations = new PreparedGenerations();
  const loop: StepLoop = new StepLoop({
    context,
    store,
    slotFiles,
    begin: (admission) => {
      activity.countPrompt(admission);
      return beginGeneration(admission, parts);
    },
    batchSharing: models.device === "CPU" ? "idle" : "free-slots",
    itlTargetMs: settings.itlTargetMs,
    speculator,
    media: media?.encoder,
    onStepEnd: (report) => {
      activity.countStep(report);
      if (report.generations > 0) failures.recordSuccess();
      hooks.onStepEnd(report);
    },
    onFailure: (error, scope) => {
      const message = describeFailure(error, scope);
      if (scope === "generation") hooks.log("error", message);
      else failures.recordFailure(error, message);
    },
    now,
  });
  const adapters = await openAdapters(settings, {
    llama,
    models,
    context,
    vocabulary,
    loop,
    log: hooks.log,
  });

  const divideMedia = async (request: GenerationRequest) =>
    media === undefined ? request : media.library.divide(request);

  /**
   * Selects the adapters of a prepared request. They may have been unloaded since it was prepared.
   */
  const selectAdapters = ({ adapters: choices, promptTokens }: PreparedGeneration) => {
    try {
      return adapters.select(choices, promptTokens);
    } catch (error) {
      return toClientError(error);
    }
  };

  return {
    description: describeEngine({
      settings,
      defaults,
      models,
      rejectedBackends,
      vocabulary,
      threads,
      preparer,
      adapters: adapters.list,
      media: media?.kinds ?? [],
      samplingDevice: context.samplingDevice,
    }),
    get statistics(): EngineStatistics {
      return activity.collectStatistics({
        loop: loop.counters,
        drafts: speculator?.counters,
        store: store?.countersByTier,
        cells: countCells(context, plan.main),
      });
    },
    async prepare(request: GenerationRequest): Promise<PreparedRequest> {
      adapters.check(request.adapters);
      const dividedRequest = await divideMedia(request);
      try {
        const prepared = preparer.prepare(dividedRequest);
        preparedGenerations.hold(prepared);
        return describePrepared(prepared);
      } catch (error) {
        media?.library.release(request.id);
        throw error;
      }
    },
    divideMedia,
    hold(prepared: PreparedGeneration): void {
      preparedGenerations.hold(prepared);
    },
    release(requestId: string): void {
      preparedGenerations.release(requestId);
      media?.library.release(requestId);
    },
    async ask(question: TextQuestion): Promise<TextAnswer> {
      return preparer.ask(question);
    },
    start(generation: GenerationStart, emit: EmitGeneration): void {
      const prepared = preparedGenerations.startAnswer(generation);
      const use = selectAdapters(prepared);
      if (use instanceof GgufdError) {
        queueMicrotask(() => emit({ type: "failed", error: use }));
        return;
      }
      const { applied: appliedAdapters, appliedFrom } = use;
      const { id, promptMedia = [] } = prepared;
      // Not the id of the request: `release` frees the media held under it.
      const holder = `generation ${id}`;
      media?.library.holdForGeneration(holder, promptMedia);
      loop.start({ ...prepared, appliedAdapters, appliedFrom }, (event, tokens) => {
        if (isFinal(event)) {
          use.release();
          parts.limitedReasoning.delete(id);
          media?.library.release(holder);
        }
        emit(event, tokens);
      });
    },
    adapt(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
      return adapters.change(change);
    },
    cancel(id: string): void {
      loop.cancel(id);
    },
    async endReasoning(id: string): Promise<boolean> {
      return parts.limitedReasoning.get(id)?.end() ?? false;
    },
    limitThreads(limit: number | undefined): void {
      stepThreads.limitTo(limit);
    },
    async slots(): Promise<readonly EngineSlot[]> {
      return loop.slots;
    },
    command(command: SlotCommand): Promise<SlotOutcome> {
      return loop.queueCommand(command);
    },
    async close(): Promise<void> {
      grammars.close();
      await loop.close();
      await store?.close();
      drafter?.dispose();
      media?.close();
      context.close();
      await models.dispose();
    },
  };
}

/** Computes the identity that KV states on disk must match. */
async function computeIdentity(
  { context, build, plan, projector }: LoadedModels,
  { modelPath, version, metadataOverrides, rope }: EngineSettings,
): Promise<string> {
  const { kvCacheTypes, layout, slots } = plan;
  const { hash, hasLongRope } = await readModelContent(modelPath);
  return computeStateIdentity({
    versions: [version, await readLibraryVersion(), build],
    model: hash,
    kvCacheTypes,
    attention: context.flashAttention === false ? "plain" : "flash",
    layout,
    streams: layout === "split" ? slots : 1,
    contextSize: hasLongRope ? plan.main.contextSize : undefined,
    changes: { metadataOverrides, rope, ...(projector && { projector: projector.id }) },
  });
}

/** Returns the number of cells in the KV cache, over all sequences in either layout. */
function countCells({ layout, sequences }: NativeContext, { contextSize }: PlannedModel): number {
  return layout.kind === "unified" ? layout.cells : sequences * contextSize;
}

function describeFailure(error: unknown, scope: FailureScope): string {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `a ${scope} failed: ${details}`;
}
