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
  type CalibrationScope,
  calibrationFile,
  calibrationKey,
  readCalibration,
  writeCalibration,
} from "./calibration-cache.js";
import { CHATML_TEMPLATE, ChatTemplate } from "./chat-template.js";
import {
  createDraftContext,
  describeDraftModel,
  loadDraftWeights,
  openDraftModel,
} from "./draft-loading.js";
import { GeneratedText } from "./generated-text.js";
import { type CacheSize, chooseCacheSize, type KvCacheType, kvBytesPerToken } from "./kv-cache.js";
import { buildOf, describeDevice, type GpuChoice, loadBackend } from "./llama-backend.js";
import { checkModelFile } from "./model-file.js";
import { createContext, loadModel, type ModelSource } from "./model-loading.js";
import { readModelMetadata } from "./model-metadata.js";
import { NativeComplaints, type NativeLog } from "./native-complaints.js";
import { NativeContext } from "./native-context.js";
import { OutputParser } from "./output-parser.js";
import { prepareGeneration } from "./prepare-generation.js";
import { PromptTokenizer } from "./prompt-tokenizer.js";
import { RunningGeneration } from "./running-generation.js";
import { resolveSampling } from "./sampling-options.js";
import { Speculator } from "./speculator.js";
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
  /** Sequences that generate at the same time; `undefined`: {@link chooseCacheSize}. */
  readonly slots: number | undefined;
  /** Tokens of one slot; `undefined`: likewise. */
  readonly contextSize: number | undefined;
  readonly kvCacheType: KvCacheType;
  readonly batchSize: number;
  /** Longest time between two tokens of a generation that is aimed at, in milliseconds. */
  readonly itlTargetMs: number;
  /** `auto`: tokens that are likely to follow are proposed where that pays. */
  readonly speculation: "auto" | "off";
  /** A small model of the same vocabulary that proposes tokens too. */
  readonly draftModelPath: string | undefined;
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
  const { modelPath, draftModelPath, gpuLayers } = settings;
  const file = await modelFile({ role: "model", path: modelPath });
  const draftFile =
    draftModelPath === undefined
      ? undefined
      : await modelFile({ role: "draft-model", path: draftModelPath });
  const complaints = new NativeComplaints(hooks.log);
  const opened: Disposable[] = [];
  const keep = <Part extends Disposable>(part: Part): Part => {
    opened.unshift(part);
    return part;
  };
  try {
    const llama = keep(await loadBackend({ gpu: settings.gpu, log: complaints.log }));
    const totalBytes = file.sizeBytes + (draftFile?.sizeBytes ?? 0);
    const loading = ({ sizeBytes }: ModelFile, loadedBytes: number) => ({
      gpuLayers,
      onLoadProgress: (done: number) =>
        hooks.onProgress((loadedBytes + done * sizeBytes) / totalBytes),
    });
    const model = keep(await loadModel(llama, file, loading(file, 0), complaints));
    const draftModel =
      draftFile &&
      keep(
        await loadDraftWeights(
          llama,
          draftFile,
          { main: model, ...loading(draftFile, file.sizeBytes) },
          complaints,
        ),
      );
    const cacheSize = await fittingCacheSize(model, draftModel, settings);
    const sizes = { ...settings, ...cacheSize };
    const context = keep(await createContext(model, file, sizes, complaints));
    const draftContext =
      draftFile &&
      draftModel &&
      keep(await createDraftContext(draftModel, draftFile, sizes, complaints));
    complaints.release();
    const device = await describeDevice(llama);
    const draft = draftFile && draftContext && { ...draftFile, context: draftContext };
    const parts = { llama, model, context, cacheSize, device, fileStamp: file, settings, hooks };
    return await assemble({ ...parts, draft, dispose: () => disposeAll(opened) });
  } catch (error) {
    await disposeAll(opened);
    throw error;
  }
}

interface Disposable {
  dispose(): Promise<void>;
}

interface ModelFile extends ModelSource {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

async function modelFile(source: ModelSource): Promise<ModelFile> {
  return { ...source, ...(await checkModelFile(source)) };
}

/** Frees what was loaded, the dependent parts first: else the library hangs. */
async function disposeAll(parts: readonly Disposable[]): Promise<void> {
  for (const part of parts) await part.dispose();
}

async function fittingCacheSize(
  model: LlamaModel,
  draft: LlamaModel | undefined,
  { slots, contextSize, kvCacheType }: EngineSettings,
): Promise<CacheSize> {
  const models = draft === undefined ? [model] : [model, draft];
  const onGpu = model.llama.gpu !== false;
  return chooseCacheSize({
    slots,
    contextSize,
    trainContextSize: model.trainContextSize,
    bytesPerToken: models
      .map((one) => kvBytesPerToken(readModelMetadata(one).attention, kvCacheType))
      .reduce((sum, bytes) => sum + bytes, 0),
    freeBytes: onGpu ? (await model.llama.getVramState()).free : process.availableMemory(),
  });
}

interface Parts {
  readonly llama: Llama;
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly cacheSize: CacheSize;
  readonly device: string;
  readonly fileStamp: { readonly sizeBytes: number; readonly modifiedMs: number };
  readonly settings: EngineSettings;
  readonly hooks: EngineHooks;
  readonly draft: (ModelFile & { readonly context: LlamaContext }) | undefined;
  /** Frees what was loaded. */
  readonly dispose: () => Promise<void>;
}

async function assemble(parts: Parts): Promise<Engine> {
  const { llama, model, context, device, fileStamp, settings, hooks, draft } = parts;
  const { slots, contextSize } = parts.cacheSize;
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
  const build = buildOf(llama);
  const threads = await chooseThreads(tokenContext, settings, { build, modelFingerprint });
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
  const store = await openStores(tokenContext, settings, modelFingerprint);
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
      await parts.dispose();
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
  scope: Omit<CalibrationScope, "cores">,
): Promise<number> {
  const cores = availableParallelism();
  const file = calibrationFile();
  const key = calibrationKey({ ...scope, cores });
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
