import { setImmediate } from "node:timers/promises";
import { GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import type {
  PoolingAnswer,
  PoolingDescription,
  PoolingEngine,
  PoolingRequest,
} from "../core/pooling.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import { openBackend, type RejectedBackend } from "./devices/choose-backend.js";
import { describePoolingModel } from "./engine-description.js";
import { FailureStreak } from "./failure-streak.js";
import type { ModelHooks } from "./loading/loaded-models.js";
import {
  type LoadedPoolingModel,
  openPoolingModel,
  type PoolingContexts,
} from "./loading/loaded-pooling-model.js";
import type { PoolingModelSettings } from "./loading/planned-pooling-model.js";
import { ENOUGH_CPU_TOKENS } from "./memory/pooling-plan.js";
import type { NativeCompanion } from "./native/companion/native-companion.js";
import type { GpuChoice } from "./native/llama-backend.js";
import { NativePoolingContext, ShortBatches } from "./native/native-pooling-context.js";
import type { PoolingContext } from "./native/pooling-context.js";
import { InputTokenizer } from "./pooling/input-tokenizer.js";
import { PoolingLoop } from "./pooling/pooling-loop.js";
import { answerTextQuestion, noPrompts } from "./text/prompt/answer-text-question.js";
import { readInputFrames } from "./text/vocabulary/input-frames.js";
import { readVocabulary } from "./text/vocabulary/vocabulary.js";
import { choosePoolingThreads, type ThreadSettings } from "./threads/choose-threads.js";

/** Settings of a pooling engine. Plain data: they may cross a process boundary. */
export interface PoolingSettings extends PoolingModelSettings, ThreadSettings {
  readonly gpu: GpuChoice;
  /** Version of the server, part of the fingerprint. */
  readonly version: string;
}

/** Callbacks of a pooling engine. */
export interface PoolingHooks extends ModelHooks {
  /** Called after each successful batch. */
  readonly onBatchEnd?: () => void;
}

/**
 * Maximum size of the vectors of a request in bytes, if each token has a vector. They are in memory
 * until the answer is sent.
 */
const MAX_TOKEN_VECTORS_BYTES = 256 * 2 ** 20;

/** Time after which tokenising yields to other requests, in milliseconds. */
const MAX_TOKENISING_MS = 5;

/**
 * Loads a GGUF model and starts a pooling engine.
 * @throws {StartupError} names the file or device and the reason
 */
export async function createPoolingEngine(
  settings: PoolingSettings,
  hooks: PoolingHooks,
): Promise<PoolingEngine> {
  const subject = { kind: "pooling", settings } as const;
  const { llama, rejectedBackends } = await openBackend(settings.gpu, subject, hooks.log);
  const loaded = await openPoolingModel(llama, settings, hooks);
  try {
    return await assemble({ settings, hooks, loaded, rejectedBackends });
  } catch (error) {
    await loaded.dispose();
    throw error;
  }
}

interface PoolingEngineParts {
  readonly settings: PoolingSettings;
  readonly hooks: PoolingHooks;
  readonly loaded: LoadedPoolingModel;
  readonly rejectedBackends: readonly RejectedBackend[];
}

async function assemble(parts: PoolingEngineParts): Promise<PoolingEngine> {
  const { settings, hooks, loaded, rejectedBackends } = parts;
  const { model, plan } = loaded;
  const vocabulary = readVocabulary(model);
  const tokenizer = new InputTokenizer({
    vocabulary,
    frames: readInputFrames(model),
    maxTokens: plan.maxInputTokens,
  });
  const threads = choosePoolingThreads(settings, loaded.offloading);
  let usedThreads = threads;
  const context = openContexts(loaded.contexts, loaded.companion);
  const failures = new FailureStreak(hooks);
  const loop = new PoolingLoop({
    contexts: [
      context,
      ...(loaded.secondContexts === undefined
        ? []
        : [openContexts(loaded.secondContexts, loaded.companion)]),
    ],
    threads: () => usedThreads,
    enoughTokens: plan.model.gpuLayers > 0 ? plan.batchTokens : ENOUGH_CPU_TOKENS,
    onBatchEnd: () => {
      failures.recordSuccess();
      hooks.onBatchEnd?.();
    },
    onFailure: (error) => failures.recordFailure(error, `a batch failed: ${formatReason(error)}`),
  });
  // The first batch also warms up the device.
  const [vector] = await context.pool([[vocabulary.size - 1]], threads);
  const vectorLength = vector?.length ?? 0;
  const description = describePoolingModel({
    settings,
    loaded,
    rejectedBackends,
    vocabulary,
    threads,
    vectorLength,
  });
  /** Ids of running requests that are not cancelled. */
  const activeIds = new Set<string>();
  return {
    description,
    async pool(request: PoolingRequest): Promise<PoolingAnswer | "cancelled"> {
      const { id } = request;
      const isActive = () => activeIds.has(id);
      activeIds.add(id);
      try {
        const inputs = await tokenise(request, tokenizer, isActive);
        if (!isActive()) return "cancelled";
        const promptTokens = inputs.reduce((sum, { length }) => sum + length, 0);
        if (description.pooling === "none") rejectTooManyVectors(promptTokens, vectorLength);
        const vectors = await loop.pool(id, inputs);
        if (vectors === "cancelled") return "cancelled";
        return { vectors: selectScores(description, vectors), promptTokens };
      } finally {
        activeIds.delete(id);
      }
    },
    async ask(question: TextQuestion): Promise<TextAnswer> {
      return answerTextQuestion(question, vocabulary, noPrompts);
    },
    limitThreads(limit: number | undefined): void {
      usedThreads = Math.min(threads, limit ?? threads);
    },
    cancel(id: string): void {
      activeIds.delete(id);
      loop.cancel(id);
    },
    async close(): Promise<void> {
      activeIds.clear();
      await loop.close();
      await loaded.dispose();
    },
  };
}

function openContexts(
  { context, shortContext }: PoolingContexts,
  companion: NativeCompanion,
): PoolingContext {
  const defaultContext = new NativePoolingContext(context, companion);
  if (shortContext === undefined) return defaultContext;
  const shortBatchContext = new NativePoolingContext(shortContext, companion, defaultContext);
  return new ShortBatches(shortBatchContext, defaultContext);
}

/**
 * Tokenises the inputs of a request. Yields regularly, because megabytes of text would delay other
 * requests; stops if the request is cancelled.
 */
async function tokenise(
  { inputs, ...limits }: PoolingRequest,
  tokenizer: InputTokenizer,
  isActive: () => boolean,
): Promise<readonly (readonly number[])[]> {
  const tokensByInput: (readonly number[])[] = [];
  let pausedAt = performance.now();
  for (const input of inputs) {
    tokensByInput.push(tokenizer.tokensOf(input, limits));
    if (performance.now() - pausedAt < MAX_TOKENISING_MS) continue;
    await setImmediate();
    if (!isActive()) break;
    pausedAt = performance.now();
  }
  return tokensByInput;
}

/** @throws {GgufdError} `invalid_request`: the vectors of all tokens are too large */
function rejectTooManyVectors(tokens: number, vectorLength: number): void {
  const most = Math.floor(
    MAX_TOKEN_VECTORS_BYTES / (vectorLength * Float32Array.BYTES_PER_ELEMENT),
  );
  if (tokens <= most) return;
  throw new GgufdError(
    "invalid_request",
    `With pooling none, a request may have at most ${most} tokens in all of its inputs, got ${tokens}.`,
  );
}

/**
 * Reduces the output of a reranking model to its relevance score. If a model has several labels,
 * relevance is the first.
 */
function selectScores(
  { kind }: PoolingDescription,
  vectors: readonly Float32Array[],
): readonly Float32Array[] {
  return kind === "reranking" ? vectors.map((scores) => scores.slice(0, 1)) : vectors;
}
