import assert from "node:assert/strict";
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { ThreadCounts } from "../../core/engine.js";
import type { AddonContext, ContextInternals, ModelInternals } from "./addon.js";
import { type NativeCompanion, SAMPLING_DEVICES } from "./companion/native-companion.js";
import { partialTruncationOf } from "./kv-cache.js";
import { readLogProbabilities } from "./log-probabilities.js";
import { NativeAdapters } from "./native-adapters.js";
import { NativeSteps } from "./native-steps.js";
import { chooseBatchThreads, countDrawingThreads } from "./native-threads.js";
import { buildNativeDrafting, NativeStateDrafts, type StateDrafting } from "./state-drafts.js";
import {
  type AppliedAdapter,
  BatchAborted,
  type BatchMixing,
  type BatchPart,
  type CacheLayout,
  type Logits,
  type LogProbabilities,
  type MediaPiece,
  type NextBatch,
  NotFiniteLogits,
  type SamplingContext,
  type StateDrafts,
  type StateMark,
  type TokenContext,
  type TokenOfRow,
  type TokenSampler,
} from "./token-context.js";

/**
 * Time to copy a byte of a KV cache, in milliseconds. Measured on a CPU: 1.3, 4.6 and 17 ms for
 * streams of 12, 47 and 189 MB. On GPUs assumed from their memory bandwidth, some 500 GB/s.
 */
const COPY_MS_PER_BYTE = { cpu: 1e-7, gpu: 2e-9 };

/** llama.cpp's value for the end of a sequence. */
const END_OF_SEQUENCE = -1;

export interface NativeCache {
  readonly layout: CacheLayout["kind"];
  /** Size of one sequence's share, all shares being equal. */
  readonly streamBytes: number;
}

/**
 * Selects the rows of logits that are sampled by the device that computed them (llama.cpp's backend
 * sampling), provided that it can run all samplers of the generation and nothing else needs the
 * row. `auto`: rows of GPUs other than Vulkan; `on`: rows of any device.
 */
export type DeviceSampling = "auto" | "on" | "off";

const samplingDevices = {
  auto: SAMPLING_DEVICES.gpus,
  on: SAMPLING_DEVICES.any,
  off: SAMPLING_DEVICES.none,
} as const satisfies Record<DeviceSampling, number>;

export interface NativeContextOptions {
  /** @default "off" */
  readonly deviceSampling?: DeviceSampling;
  /** Drafter that proposes tokens from the context's hidden states, if any. */
  readonly drafting?: StateDrafting | undefined;
}

/** A {@link TokenContext} over a node-llama-cpp context, which must not be used elsewhere. */
export class NativeContext implements TokenContext {
  readonly sequences: number;
  readonly layout: CacheLayout;
  readonly mixing: BatchMixing;
  readonly batchSize: number;
  readonly passTokens: number;
  readonly maxOutputs: number;
  readonly partialTruncation: TokenContext["partialTruncation"];
  readonly retraction: TokenContext["retraction"];
  /** Tokens that a token of a sliding-window layer attends to, itself included; absent: all. */
  readonly #windowTokens: number | undefined;
  readonly copyMs: number;
  readonly adapters: NativeAdapters;
  readonly #context: AddonContext;
  readonly #model: ModelInternals;
  readonly #contextSize: number;
  #threads: ThreadCounts;
  readonly #companion: NativeCompanion;
  /** Evaluates batches and draws tokens from them. */
  readonly #steps: NativeSteps;
  /** Proposes tokens from the context's hidden states. */
  readonly #stateDrafts: NativeStateDrafts | undefined;
  readonly #canAbort: boolean;
  #batch: "none" | "evaluating" | "aborted" = "none";

  /**
   * @param context created with the parameters of `buildCompanionParams`
   * @param cache layout of the context's cache, and the size of one sequence's share
   */
  constructor(
    context: LlamaContext,
    cache: NativeCache,
    companion: NativeCompanion,
    { deviceSampling = "off", drafting }: NativeContextOptions = {},
  ) {
    const { _ctx, _totalSequences } = context as unknown as ContextInternals;
    this.#context = _ctx;
    this.#model = context.model as unknown as ModelInternals;
    this.adapters = new NativeAdapters(this.#model, _ctx);
    this.sequences = _totalSequences;
    this.layout =
      cache.layout === "unified"
        ? { kind: "unified", cells: this.sequences * context.contextSize }
        : { kind: "split" };
    this.batchSize = context.batchSize;
    const params = companion.readContext(_ctx);
    this.passTokens = drafting === undefined ? params.microBatchTokens : this.batchSize;
    this.maxOutputs = params.maxOutputs || this.batchSize;
    this.#contextSize = context.contextSize;
    this.partialTruncation = partialTruncationOf(context.model.fileInsights);
    this.retraction = retractionOf(context.model);
    this.#windowTokens = context.model.fileInsights.swaSize;
    this.#companion = companion;
    this.#canAbort = this.partialTruncation === "supported";
    const stepper = new companion.Stepper(
      _ctx,
      this.partialTruncation === "supported",
      countDrawingThreads(),
      samplingDevices[deviceSampling],
      drafting && buildNativeDrafting(drafting, cache.layout, companion),
    );
    this.#steps = new NativeSteps(stepper);
    this.#stateDrafts =
      drafting && new NativeStateDrafts(stepper, drafting, () => this.#threads.decode);
    this.#threads = { decode: params.threads, prefill: params.prefillThreads };
    const processor = context.model.llama.gpu === false ? "cpu" : "gpu";
    this.mixing = cache.layout === "unified" && processor === "cpu" ? "separate" : "mixed";
    this.copyMs = cache.layout === "unified" ? 0 : cache.streamBytes * COPY_MS_PER_BYTE[processor];
  }

  /** Sets the numbers of compute threads, starting with the next batch. */
  setThreads(threads: ThreadCounts): void {
    this.#threads = threads;
  }

  async evaluate(
    parts: readonly BatchPart[],
    next: NextBatch = "undecided",
  ): Promise<readonly (readonly Logits[])[]> {
    assertAscending(parts);
    assert(
      parts.reduce((sum, part) => sum + part.tokens.length - part.logitsFrom, 0) <= this.maxOutputs,
      "a batch requests more rows of logits than llama.cpp has reserved, which would abort the process",
    );
    const batchTokens = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
    assert(
      batchTokens <= this.batchSize,
      `a batch of ${batchTokens} tokens exceeds the batch size ${this.batchSize}`,
    );
    assert.equal(this.#batch, "none", "cannot evaluate a batch during another one");
    this.#batch = "evaluating";
    try {
      return await this.#steps.evaluate(parts, chooseBatchThreads(parts, this.#threads), next);
    } catch (error) {
      if (!this.#isAborted) throw error;
      throw new BatchAborted(parts.map((part) => this.#truncateToEvaluated(part)));
    } finally {
      if (this.#isAborted) this.#companion.setAborted(this.#context, false);
      this.#batch = "none";
    }
  }

  /**
   * Truncates a part of an aborted batch to the tokens that its sequence keeps: llama.cpp keeps the
   * sub-batches that it has already evaluated. A drafter has no hidden states of an aborted batch,
   * so that it keeps no token.
   * @returns the number of tokens kept
   */
  #truncateToEvaluated({ sequenceId, position, logitsFrom }: BatchPart): number {
    const end = this.#context.getSequenceKvCacheMaxPosition(sequenceId) + 1;
    const evaluatedTokens = this.#stateDrafts === undefined ? Math.max(0, end - position) : 0;
    const keptTokens = Math.min(evaluatedTokens, logitsFrom);
    this.truncate(sequenceId, position + keptTokens);
    return keptTokens;
  }

  async evaluateMedia(piece: MediaPiece): Promise<void> {
    assert.equal(this.#batch, "none", "cannot evaluate media during a batch");
    this.#batch = "evaluating";
    try {
      await this.#steps.evaluateCells(piece, this.#threads.prefill);
    } finally {
      if (this.#isAborted) this.#companion.setAborted(this.#context, false);
      this.#batch = "none";
    }
  }

  useAdapters(adapters: readonly AppliedAdapter[]): void {
    assert.equal(this.#batch, "none", "cannot change adapters during a batch");
    if (!this.adapters.differ(adapters)) return;
    this.#steps.retract();
    this.adapters.apply(adapters);
  }

  hold(): void {
    this.#steps.hold();
  }

  rest(): void {
    this.#steps.rest();
  }

  close(): void {
    this.#steps.close();
  }

  /**
   * Proposes tokens from the hidden states of this context's sequences; `undefined` without a
   * drafter.
   */
  get stateDrafts(): StateDrafts | undefined {
    return this.#stateDrafts;
  }

  /** Number of batches that were started before they were requested. */
  get earlyBatches(): number {
    return this.#steps.earlySteps;
  }

  /** The device that samples rows, e.g. `CUDA0`; `undefined` if the CPU samples all of them. */
  get samplingDevice(): string | undefined {
    return this.#steps.samplingDevice;
  }

  /** Number of tokens drawn by the sampling device. */
  get deviceDraws(): number {
    return this.#steps.deviceDraws;
  }

  abort(): void {
    if (this.#batch !== "evaluating" || !this.#canAbort) return;
    this.#batch = "aborted";
    this.#companion.setAborted(this.#context, true);
  }

  get #isAborted(): boolean {
    return this.#batch === "aborted";
  }

  lowestCut(sequenceId: number): number {
    if (this.partialTruncation === "supported") return 0;
    if (this.retraction === "rewind" || this.#windowTokens === undefined) {
      return Number.POSITIVE_INFINITY;
    }
    this.#steps.retract();
    // llama.cpp keeps every position from the first one on, so that one decides.
    const first = this.#context.getSequenceKvCacheMinPosition(sequenceId);
    return first <= 0 ? 0 : first + this.#windowTokens - 1;
  }

  truncate(sequenceId: number, position: number): void {
    this.#steps.retract();
    this.#stateDrafts?.noteTruncated(sequenceId, position);
    if (position === 0) this.#context.disposeSequence(sequenceId);
    else if (!this.#context.removeTokenCellsFromSequence(sequenceId, position, END_OF_SEQUENCE)) {
      throw new Error(`llama.cpp cannot truncate sequence ${sequenceId} to position ${position}`);
    }
  }

  clear(): void {
    this.#steps.retract();
    this.#companion.clearCache(this.#context);
    this.#stateDrafts?.noteCleared();
  }

  async mark(sequenceId: number): Promise<StateMark> {
    this.#steps.retract();
    const checkpoint = new this.#model._llama._bindings.AddonContextSequenceCheckpoint();
    await checkpoint.init(this.#context, sequenceId);
    return {
      rewind: async () => {
        const { maxPos } = checkpoint;
        if (!(await this.#context.restoreCheckpoint(checkpoint, maxPos, sequenceId))) {
          throw new Error(`llama.cpp cannot rewind sequence ${sequenceId} to position ${maxPos}`);
        }
      },
      dispose: () => checkpoint.dispose(),
    };
  }

  async copy(from: number, to: number): Promise<void> {
    this.#steps.retract();
    const last = await this.#context.copySequenceStateFromOtherSequence(to, from);
    if (last < 0) throw new Error(`llama.cpp copied nothing from sequence ${from} to ${to}`);
    this.#stateDrafts?.noteCopied(from, to);
  }

  save(sequenceId: number, tokens: readonly number[], path: string): Promise<number> {
    this.#steps.retract();
    return this.#context.saveSequenceStateToFile(path, sequenceId, Uint32Array.from(tokens));
  }

  async restore(sequenceId: number, path: string): Promise<readonly number[]> {
    this.#steps.retract();
    // A saved state contains no hidden states.
    this.#stateDrafts?.noteTruncated(sequenceId, 0);
    const tokens = await this.#context.loadSequenceStateFromFile(
      path,
      sequenceId,
      this.#maxTextTokens,
    );
    // Token ids are signed: cells of media have negative ones.
    return [...Int32Array.from(tokens)];
  }

  createSampler(context: SamplingContext): TokenSampler {
    return this.#steps.createSampler(context, this.#maxTextTokens);
  }

  async logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]> {
    const results = await this.#logProbabilities(tokens, top);
    // The log-softmax sums over the whole row, so any value that is not finite makes it NaN.
    if (results.some(({ logProbability }) => Number.isNaN(logProbability))) {
      throw new NotFiniteLogits();
    }
    return results;
  }

  async #logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]> {
    const knownScores = tokens.map((one) => this.#steps.scoresOf(one));
    if (knownScores.every((one) => one !== undefined)) return knownScores;
    return readLogProbabilities(this.#companion, this.#context, { tokens, top });
  }

  get #maxTextTokens(): number {
    return this.layout.kind === "unified" ? this.layout.cells : this.#contextSize;
  }
}

/**
 * Returns how the model takes back tokens; see {@link TokenContext.retraction}. Tokens that enter a
 * sliding window overwrite only cells that the first token of their sub-batch no longer sees
 * (`find_slot` in llama.cpp's `llama-kv-cache.cpp`), and if parts are equally long, only their
 * first tokens are evaluated in an earlier sub-batch.
 */
function retractionOf({ fileInsights }: LlamaModel) {
  const { isRecurrent, isHybrid } = fileInsights;
  return isRecurrent || isHybrid ? "rewind" : "truncate";
}

function assertAscending(parts: readonly BatchPart[]): void {
  let previousId = -1;
  for (const { sequenceId } of parts) {
    assert(sequenceId > previousId, `sequence ${sequenceId} follows ${previousId} in a batch`);
    previousId = sequenceId;
  }
}
