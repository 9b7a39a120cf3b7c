import { createHash, randomInt } from "node:crypto";
import type { Engine, EngineDescription } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import type { EngineHooks, EngineSettings } from "./engine-settings.js";
import { kvBytesPerToken } from "./llama/kv-cache.js";
import { describeDraftModel, openDraftModel } from "./llama/model/draft-loading.js";
import { type LoadedModels, type ModelFile, openModels } from "./llama/model/loaded-models.js";
import { NativeContext } from "./llama/native-context.js";
import { readVocabulary } from "./llama/vocabulary/vocabulary.js";
import { GeneratedText } from "./output/generated-text.js";
import { OutputParser } from "./output/output-parser.js";
import { openStores } from "./prefix-cache/open-stores.js";
import { CHATML_TEMPLATE, ChatTemplate } from "./prompt/chat-template.js";
import { prepareGeneration } from "./prompt/prepare-generation.js";
import { PromptTokenizer } from "./prompt/prompt-tokenizer.js";
import { resolveSampling } from "./sampling/sampling-options.js";
import { Speculator } from "./speculation/speculator.js";
import { RunningGeneration } from "./step/running-generation.js";
import { type Admission, StepLoop } from "./step/step-loop.js";
import { chooseThreads } from "./threads/choose-threads.js";

/**
 * Loads a GGUF model and starts an engine over it.
 * @throws {StartupError} naming the file or the device and what is wrong with it.
 */
export async function createLlamaEngine(
  settings: EngineSettings,
  hooks: EngineHooks,
): Promise<Engine> {
  const models = await openModels(settings, hooks);
  try {
    return await assemble({ settings, hooks }, models);
  } catch (error) {
    await models.dispose();
    throw error;
  }
}

interface EngineOptions {
  readonly settings: EngineSettings;
  readonly hooks: EngineHooks;
}

async function assemble({ settings, hooks }: EngineOptions, models: LoadedModels): Promise<Engine> {
  const { model, metadata, context, file, build, device, draft } = models;
  const { slots, contextSize } = models.cacheSize;
  const vocabulary = readVocabulary(model);
  if (!metadata.isCausal) {
    throw new StartupError(
      `model ${settings.modelPath}: an embedding or reranking model (${model.architecture}), which cannot chat`,
    );
  }
  const template = new ChatTemplate(metadata.chatTemplate ?? CHATML_TEMPLATE, {
    bosToken: vocabulary.bosText,
    eosToken: vocabulary.eosText,
  });
  const tokenizer = new PromptTokenizer(vocabulary, template, contextSize);
  const tokenContext = new NativeContext(context);
  const modelFingerprint = fingerprint(settings, file);
  const threads = await chooseThreads(tokenContext, settings, { build, modelFingerprint });
  const description: EngineDescription = {
    model: {
      path: settings.modelPath,
      name: metadata.name,
      architecture: model.architecture,
      parameters: metadata.parameters,
      sizeBytes: file.sizeBytes,
      trainContextSize: model.trainContextSize,
      contextSize,
      vocabularySize: vocabulary.size,
      fingerprint: modelFingerprint,
    },
    slots,
    batchSize: context.batchSize,
    threads,
    kvCache: {
      type: settings.kvCacheType,
      bytes: kvBytesPerToken(metadata.attention, settings.kvCacheType) * contextSize * slots,
    },
    device,
    build,
    draftModel: draft && describeDraftModel(draft.context, { ...settings, ...draft, slots }),
  };

  const begin = ({ prepared, emit, lease, admitted, cachedTokens }: Admission) => {
    const { reading, sampling, stopping } = prepared;
    const options = resolveSampling({
      sampling,
      stopping,
      recommended: metadata.recommendedSampling,
      endOfGeneration: vocabulary.endOfGeneration,
      fallbackSeed: settings.seed ?? randomInt(2 ** 32),
    });
    return new RunningGeneration({
      prepared,
      emit,
      lease,
      admitted,
      cachedTokens,
      endOfGeneration: vocabulary.endOfGeneration,
      createSampler: (tokens) => tokenContext.createSampler({ ...tokens, options }),
      text: new GeneratedText({
        bytesOf: vocabulary.bytesOf,
        stop: stopping.stop,
        minTokens: stopping.minTokens,
      }),
      parser: new OutputParser(reading),
      now: () => performance.now(),
    });
  };
  const attention = context.flashAttention === false ? "plain" : "flash";
  const cacheFormat = `${modelFingerprint}-${settings.kvCacheType}-${attention}`;
  const store = await openStores(tokenContext, settings, cacheFormat);
  if (tokenContext.cuts === "to nothing") {
    const reuse =
      store === undefined ? "with --cache-ram 0 hardly any is reused" : "checkpoints are saved";
    hooks.log("warn", `states of ${model.architecture} models cannot be cut: ${reuse}`);
  }
  const { itlTargetMs } = settings;
  const now = () => performance.now();
  const draftModel = draft && openDraftModel(draft.context, threads);
  const speculator =
    settings.speculation === "auto" && tokenContext.cuts === "anywhere"
      ? new Speculator({
          batchSize: context.batchSize,
          draftModel,
          onDraftModelLost: (error) =>
            hooks.log("warn", `the draft model failed and proposes no more: ${reasonOf(error)}`),
          itlTargetMs,
          now,
        })
      : undefined;
  const { onStepEnd } = hooks;
  const loop = new StepLoop({
    context: tokenContext,
    store,
    begin,
    itlTargetMs,
    speculator,
    onStepEnd,
    now,
  });

  return {
    description,
    async prepare(request: GenerationRequest): Promise<PreparedGeneration> {
      return prepareGeneration(request, tokenizer.encode(request.prompt), {
        contextSize,
        vocabularySize: vocabulary.size,
      });
    },
    start(prepared: PreparedGeneration, emit: (event: GenerationEvent) => void): void {
      loop.start(prepared, emit);
    },
    cancel(id: string): void {
      loop.cancel(id);
    },
    async close(): Promise<void> {
      await loop.close();
      await store?.close();
      draftModel?.dispose();
      await models.dispose();
    },
  };
}

function fingerprint(
  { modelPath, version }: EngineSettings,
  { sizeBytes, modifiedMs }: ModelFile,
): string {
  const identity = `${version}\n${modelPath}\n${sizeBytes}\n${modifiedMs}`;
  return `ggufd_${createHash("sha256").update(identity).digest("hex").slice(0, 12)}`;
}
