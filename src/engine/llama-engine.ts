import { createHash, randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import type { Engine, EngineDescription } from "../core/engine.js";
import type { GenerationEvent } from "../core/generation-event.js";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import {
  calibrationFile,
  calibrationKey,
  readCalibration,
  writeCalibration,
} from "./calibration-cache.js";
import { CHATML_TEMPLATE, ChatTemplate } from "./chat-template.js";
import { GeneratedText } from "./generated-text.js";
import { chooseContextSize, type KvCacheType, kvBytesPerToken } from "./kv-cache.js";
import { describeDevice, type GpuChoice, loadBackend } from "./llama-backend.js";
import { checkModelFile } from "./model-file.js";
import { readModelMetadata } from "./model-metadata.js";
import { NativeComplaints, type NativeLog } from "./native-complaints.js";
import { NativeContext } from "./native-context.js";
import { OutputParser } from "./output-parser.js";
import { prepareGeneration } from "./prepare-generation.js";
import { PromptTokenizer } from "./prompt-tokenizer.js";
import { RunningGeneration } from "./running-generation.js";
import { resolveSampling } from "./sampling-options.js";
import { createStateFolder } from "./state-folder.js";
import { StateStore } from "./state-store.js";
import { type Admission, StepLoop, type StepReport } from "./step-loop.js";
import { calibrateThreads } from "./thread-calibration.js";
import { readVocabulary } from "./vocabulary.js";

/** What an engine is loaded with. Plain data: it may cross a process boundary. */
export interface EngineSettings {
  readonly modelPath: string;
  readonly gpu: GpuChoice;
  /** Layers to put on the GPU. */
  readonly gpuLayers: number | "auto";
  readonly threads: number | "auto";
  /** Sequences that generate at the same time. */
  readonly slots: number;
  /** Tokens of one slot; `undefined`: {@link chooseContextSize}. */
  readonly contextSize: number | undefined;
  readonly kvCacheType: KvCacheType;
  readonly batchSize: number;
  /** Longest time between two tokens of a generation that is aimed at, in milliseconds. */
  readonly itlTargetMs: number;
  /** `auto`: tokens that have followed before are proposed again where that pays. */
  readonly speculation: "auto" | "off";
  /** Memory for states of conversations whose slot was needed, in MiB; 0: they are lost. */
  readonly cacheRamMiB: number;
  /** Folder for such states that outlives the process, and its room in MiB. */
  readonly cacheDir: string | undefined;
  readonly cacheDiskMiB: number;
  /** Seed of requests that name none; `undefined`: a random one for each. */
  readonly seed: number | undefined;
  /** Version of the server, part of the fingerprint. */
  readonly version: string;
}

/** Whom an engine tells what happens inside it. */
export interface EngineHooks {
  readonly log: NativeLog;
  /** Told how much of the model is loaded, 0–1. */
  readonly onProgress: (progress: number) => void;
  /** A step is over: all its events have been emitted. */
  readonly onStepEnd: (report: StepReport) => void;
}

/**
 * Loads a GGUF model and starts an engine over it.
 * @throws {StartupError} naming the file or the device and what is wrong with it.
 */
export async function createLlamaEngine(
  settings: EngineSettings,
  hooks: EngineHooks,
): Promise<Engine> {
  const fileStamp = await checkModelFile(settings.modelPath);
  const complaints = new NativeComplaints(hooks.log);
  const llama = await loadBackend({ gpu: settings.gpu, log: complaints.log });
  const model = await loadModel(llama, settings, hooks, complaints).catch(disposing(llama));
  const contextSize = settings.contextSize ?? (await fittingContextSize(model, settings));
  const context = await createContext(model, contextSize, settings, complaints).catch(
    disposing(model, llama),
  );
  complaints.release();
  const device = await describeDevice(llama);
  const { onStepEnd } = hooks;
  const parts = { llama, model, context, contextSize, device, fileStamp, settings, onStepEnd };
  return assemble(parts).catch(disposing(context, model, llama));
}

/** Frees what was loaded before a failure, the dependent parts first: else the library hangs. */
function disposing(...parts: readonly { dispose(): Promise<void> }[]) {
  return async (error: unknown): Promise<never> => {
    for (const part of parts) await part.dispose();
    throw error;
  };
}

async function loadModel(
  llama: Llama,
  { modelPath, gpuLayers }: EngineSettings,
  { onProgress }: EngineHooks,
  complaints: NativeComplaints,
): Promise<LlamaModel> {
  try {
    return await llama.loadModel({ modelPath, gpuLayers, onLoadProgress: onProgress });
  } catch (error) {
    const reason = (await complaints.first()) ?? reasonOf(error);
    throw new StartupError(`model ${modelPath}: cannot be loaded: ${reason}`, error);
  }
}

async function fittingContextSize(
  model: LlamaModel,
  { slots, kvCacheType }: EngineSettings,
): Promise<number> {
  const { attention } = readModelMetadata(model);
  const onGpu = model.llama.gpu !== false;
  return chooseContextSize({
    trainContextSize: model.trainContextSize,
    slots,
    bytesPerToken: kvBytesPerToken(attention, kvCacheType),
    freeBytes: onGpu ? (await model.llama.getVramState()).free : process.availableMemory(),
  });
}

async function createContext(
  model: LlamaModel,
  contextSize: number,
  { modelPath, slots, batchSize, kvCacheType }: EngineSettings,
  complaints: NativeComplaints,
): Promise<LlamaContext> {
  // The library calls the option experimental; llama.cpp does not.
  const type = kvCacheType.toUpperCase() as Uppercase<KvCacheType>;
  try {
    return await model.createContext({
      sequences: slots,
      contextSize,
      batchSize,
      experimentalKvCacheKeyType: type,
      experimentalKvCacheValueType: type,
      failedCreationRemedy: false,
    });
  } catch (error) {
    const reason = (await complaints.first()) ?? reasonOf(error);
    throw new StartupError(
      `model ${modelPath}: no KV cache of ${slots} slots × ${contextSize} tokens in ` +
        `${kvCacheType} (--parallel, --context-size, --kv-cache-type): ${reason}`,
      error,
    );
  }
}

interface Parts {
  readonly llama: Llama;
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly device: string;
  readonly fileStamp: { readonly sizeBytes: number; readonly modifiedMs: number };
  readonly settings: EngineSettings;
  readonly onStepEnd: EngineHooks["onStepEnd"];
}

async function assemble(parts: Parts): Promise<Engine> {
  const { llama, model, context, contextSize, device, fileStamp, settings, onStepEnd } = parts;
  const vocabulary = readVocabulary(model);
  const metadata = readModelMetadata(model);
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
  const modelFingerprint = fingerprint(settings, fileStamp);
  const threads = await chooseThreads(tokenContext, settings, modelFingerprint);
  const description: EngineDescription = {
    model: {
      path: settings.modelPath,
      name: metadata.name,
      architecture: model.architecture,
      parameters: metadata.parameters,
      sizeBytes: fileStamp.sizeBytes,
      trainContextSize: model.trainContextSize,
      contextSize,
      vocabularySize: vocabulary.size,
      fingerprint: modelFingerprint,
    },
    slots: settings.slots,
    batchSize: context.batchSize,
    threads,
    kvCache: {
      type: settings.kvCacheType,
      bytes:
        kvBytesPerToken(metadata.attention, settings.kvCacheType) * contextSize * settings.slots,
    },
    device,
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
  const store = await openStores(tokenContext, settings, modelFingerprint);
  const loop = new StepLoop({
    context: tokenContext,
    store,
    begin,
    itlTargetMs: settings.itlTargetMs,
    speculation: settings.speculation,
    onStepEnd,
    now: () => performance.now(),
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
      await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}

/**
 * Memory for states, and behind it a folder that outlives this process. A state fits only the
 * model, the version and the cache that it came from: each combination has a folder of its own.
 */
async function openStores(
  context: NativeContext,
  { cacheRamMiB, cacheDir, cacheDiskMiB, kvCacheType }: EngineSettings,
  modelFingerprint: string,
): Promise<StateStore | undefined> {
  const next =
    cacheDir === undefined
      ? undefined
      : await StateStore.open({
          context,
          folder: join(cacheDir, `${modelFingerprint}-${kvCacheType}`),
          maxBytes: cacheDiskMiB * 2 ** 20,
          keeps: "always",
        });
  if (cacheRamMiB === 0) return next;
  const maxBytes = cacheRamMiB * 2 ** 20;
  return StateStore.open({
    context,
    folder: createStateFolder(),
    maxBytes,
    keeps: "session",
    next,
  });
}

/** As many as were asked for, as were found best before, or as are found best now. */
async function chooseThreads(
  context: NativeContext,
  { threads }: EngineSettings,
  modelFingerprint: string,
): Promise<number> {
  const cores = availableParallelism();
  const file = calibrationFile();
  const key = calibrationKey(cores, modelFingerprint);
  const known = threads === "auto" ? readCalibration(file, key) : threads;
  if (known !== undefined) {
    context.setThreads(known);
    return known;
  }
  const best = await calibrateThreads({ context, cores, now: () => performance.now() });
  writeCalibration(file, key, best);
  return best;
}

function fingerprint(
  { modelPath, version }: EngineSettings,
  { sizeBytes, modifiedMs }: Parts["fileStamp"],
): string {
  const identity = `${version}\n${modelPath}\n${sizeBytes}\n${modifiedMs}`;
  return `ggufd_${createHash("sha256").update(identity).digest("hex").slice(0, 12)}`;
}
