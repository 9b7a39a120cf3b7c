import assert from "node:assert/strict";
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { ThreadCounts } from "../../core/engine.js";
import { refusalOf } from "../../core/errors.js";
import type { AddonContext, ContextInternals, ModelInternals } from "./addon.js";
import { BindingDraws } from "./binding-draws.js";
import type { Companion } from "./companion/attach-companion.js";
import { type NativeCompanion, SAMPLING_DEVICES } from "./companion/native-companion.js";
import { partialTruncationOf } from "./kv-cache.js";
import { companionLogProbabilities } from "./log-probabilities.js";
import { NativeAdapters } from "./native-adapters.js";
import { NativeSteps } from "./native-steps.js";
import { drawingThreads, nativeThreadsOf, threadsFor } from "./native-threads.js";
import { beyondBinding } from "./sampler-config.js";
import { NativeStateDrafts, nativeDrafting, type StateDrafting } from "./state-drafts.js";
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
 * Time for copying a byte of a KV cache, in milliseconds. Measured on a CPU: 1.3, 4.6 and 17 ms for
 * streams of 12, 47 and 189 MB. On GPUs assumed from their memory bandwidth, some 500 GB/s.
 */
const COPY_MS_PER_BYTE = { cpu: 1e-7, gpu: 2e-9 };

/** llama.cpp's value for the end of a sequence. */
const TO_THE_END = -1;

/** The KV cache of a context. */
export interface NativeCache {
  readonly layout: CacheLayout["kind"];
  /** What one sequence takes, of equal shares. */
  readonly streamBytes: number;
}

/**
 * Which rows of logits are sampled by the device that has computed them (llama.cpp's backend sampling), where it can run
 * all samplers of a generation and nothing else needs the row. `auto`: those of GPUs but for Vulkan; `on`: any.
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
  /** What proposes tokens by the context's hidden states; absent: nothing does. */
  readonly drafting?: StateDrafting | undefined;
}

/** A {@link TokenContext} over a context of node-llama-cpp, which must not be used elsewhere. */
export class NativeContext implements TokenContext {
  readonly sequences: number;
  readonly layout: CacheLayout;
  readonly mixing: BatchMixing;
  readonly batchSize: number;
  readonly maxOutputs: number;
  readonly partialTruncation: TokenContext["partialTruncation"];
  readonly retraction: TokenContext["retraction"];
  readonly copyMs: number;
  readonly canClear: boolean;
  readonly adapters: NativeAdapters;
  readonly #context: AddonContext;
  readonly #model: ModelInternals;
  readonly #contextSize: number;
  /** `undefined`: as many as the library has chosen. */
  #threads: ThreadCounts | undefined;
  readonly #companion: NativeCompanion | undefined;
  /** With the companion: it evaluates batches and draws from them. */
  readonly #steps: NativeSteps | undefined;
  /** With the companion: what proposes by the context's hidden states. */
  readonly #stateDrafts: NativeStateDrafts | undefined;
  /** Without it. */
  readonly #draws: BindingDraws;
  /** `undefined`: a batch cannot be aborted. */
  readonly #aborting: NativeCompanion | undefined;
  #batch: "none" | "evaluating" | "aborted" = "none";

  /**
   * @param context created with the parameters of `companionParams`
   * @param cache how it was created, and what one sequence takes of it
   */
  constructor(
    context: LlamaContext,
    cache: NativeCache,
    companion: Companion,
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
    const params = companion.state === "attached" ? companion.native.readContext(_ctx) : undefined;
    this.maxOutputs = params?.maxOutputs || this.batchSize;
    this.#contextSize = context.contextSize;
    this.partialTruncation = partialTruncationOf(context.model.fileInsights);
    this.retraction = retractionOf(context.model);
    this.#draws = new BindingDraws({
      context: _ctx,
      model: this.#model,
      nativeThreads: nativeThreadsOf(process.env),
    });
    if (companion.state === "attached" && params !== undefined) {
      const { native } = companion;
      this.#companion = native;
      const canGoBack = this.partialTruncation === "supported";
      const stepper = new native.Stepper(
        _ctx,
        canGoBack,
        drawingThreads(),
        samplingDevices[deviceSampling],
        drafting && nativeDrafting(drafting, cache.layout, native),
      );
      this.#steps = new NativeSteps(stepper);
      this.#stateDrafts =
        drafting && new NativeStateDrafts(stepper, drafting, () => this.#threads?.decode ?? 0);
      this.#threads = { decode: params.threads, prefill: params.prefillThreads };
    }
    this.canClear = this.#companion !== undefined;
    const canAbort = companion.state === "attached" && this.partialTruncation === "supported";
    this.#aborting = canAbort ? companion.native : undefined;
    const processor = context.model.llama.gpu === false ? "cpu" : "gpu";
    this.mixing = cache.layout === "unified" && processor === "cpu" ? "separate" : "mixed";
    this.copyMs = cache.layout === "unified" ? 0 : cache.streamBytes * COPY_MS_PER_BYTE[processor];
  }

  /** Sets the numbers of computing threads, from the next batch on. */
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
      "a batch requests more rows of logits than there is room for, which would end the process",
    );
    const batchTokens = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
    assert(
      batchTokens <= this.batchSize,
      `a batch of ${batchTokens} tokens where ${this.batchSize} fit`,
    );
    assert.equal(this.#batch, "none", "a batch begins while another one is evaluated");
    this.#batch = "evaluating";
    try {
      const threads = this.#threads === undefined ? 0 : threadsFor(parts, this.#threads);
      return this.#steps === undefined
        ? await this.#evaluateByBinding(parts, batchTokens, threads)
        : await this.#steps.evaluate(parts, threads, next);
    } catch (error) {
      if (!this.#isAborted) throw error;
      // Of an aborted batch, llama.cpp keeps the sub-batches that it had evaluated.
      for (const { sequenceId, position } of parts) this.truncate(sequenceId, position);
      throw new BatchAborted();
    } finally {
      if (this.#isAborted) this.#aborting?.setAborted(this.#context, false);
      this.#batch = "none";
    }
  }

  async #evaluateByBinding(
    parts: readonly BatchPart[],
    batchTokens: number,
    threads: number,
  ): Promise<readonly (readonly Logits[])[]> {
    this.#draws.noteBatch();
    this.#context.initBatch(batchTokens);
    const rows = parts.map(({ sequenceId, position, tokens, logitsFrom }) => {
      const logitIndexes = Uint32Array.from(
        { length: tokens.length - logitsFrom },
        (_, index) => logitsFrom + index,
      );
      const handles = this.#context.addToBatch(
        sequenceId,
        position,
        Uint32Array.from(tokens),
        logitIndexes,
      );
      return Array.from(handles) as Logits[];
    });
    if (threads > 0) this.#context.setThreads(threads);
    await this.#context.decodeBatch();
    return rows;
  }

  async evaluateMedia(piece: MediaPiece): Promise<void> {
    assert(this.#steps !== undefined, "without the companion, nothing is evaluated but tokens");
    assert.equal(this.#batch, "none", "media are evaluated while a batch is");
    this.#batch = "evaluating";
    try {
      await this.#steps.evaluateCells(piece, this.#threads?.prefill ?? 0);
    } finally {
      if (this.#isAborted) this.#aborting?.setAborted(this.#context, false);
      this.#batch = "none";
    }
  }

  useAdapters(adapters: readonly AppliedAdapter[]): void {
    assert.equal(this.#batch, "none", "adapters change while a batch is evaluated");
    if (!this.adapters.differ(adapters)) return;
    this.#steps?.retract();
    this.adapters.apply(adapters);
  }

  hold(): void {
    this.#steps?.hold();
  }

  rest(): void {
    this.#steps?.rest();
  }

  close(): void {
    this.#steps?.close();
  }

  /** Proposes by the states of this context's sequences; `undefined`: nothing does. */
  get stateDrafts(): StateDrafts | undefined {
    return this.#stateDrafts;
  }

  /** Number of batches that had been begun when they were asked for. */
  get batchesBegun(): number {
    return this.#steps?.stepsBegun ?? 0;
  }

  /** The device that samples rows, e.g. `CUDA0`; `undefined`: the CPU samples all of them. */
  get samplingDevice(): string | undefined {
    return this.#steps?.samplingDevice;
  }

  /** Number of tokens that it has drawn. */
  get drawnByDevice(): number {
    return this.#steps?.drawnByDevice ?? 0;
  }

  abort(): void {
    if (this.#batch !== "evaluating" || this.#aborting === undefined) return;
    this.#batch = "aborted";
    this.#aborting.setAborted(this.#context, true);
  }

  get #isAborted(): boolean {
    return this.#batch === "aborted";
  }

  truncate(sequenceId: number, position: number): void {
    this.#steps?.retract();
    this.#stateDrafts?.noteTruncated(sequenceId, position);
    if (position === 0) this.#context.disposeSequence(sequenceId);
    else if (!this.#context.removeTokenCellsFromSequence(sequenceId, position, TO_THE_END)) {
      throw new Error(`llama.cpp cannot truncate sequence ${sequenceId} to position ${position}`);
    }
  }

  clear(): void {
    assert(this.#companion !== undefined, "without the companion, no cell can be overwritten");
    this.#steps?.retract();
    this.#companion.clearCache(this.#context);
    this.#stateDrafts?.noteCleared();
  }

  async mark(sequenceId: number): Promise<StateMark> {
    this.#steps?.retract();
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
    this.#steps?.retract();
    const last = await this.#context.copySequenceStateFromOtherSequence(to, from);
    if (last < 0) throw new Error(`llama.cpp copied nothing from sequence ${from} to ${to}`);
    this.#stateDrafts?.noteCopied(from, to);
  }

  save(sequenceId: number, tokens: readonly number[], path: string): Promise<number> {
    this.#steps?.retract();
    return this.#context.saveSequenceStateToFile(path, sequenceId, Uint32Array.from(tokens));
  }

  async restore(sequenceId: number, path: string): Promise<readonly number[]> {
    this.#steps?.retract();
    // A saved state has no hidden states.
    this.#stateDrafts?.noteTruncated(sequenceId, 0);
    const tokens = await this.#context.loadSequenceStateFromFile(
      path,
      sequenceId,
      this.#maxTextTokens,
    );
    // Tokens are signed: what stands in the cells of media is negative.
    return [...Int32Array.from(tokens)];
  }

  /** @throws {GgufdError} `unsupported_parameter`: only the companion has such a sampler */
  createSampler(context: SamplingContext): TokenSampler {
    if (this.#steps !== undefined) return this.#steps.createSampler(context, this.#maxTextTokens);
    const [missing] = beyondBinding(context.options);
    if (missing !== undefined) {
      const reason = "this server has no such sampler, as its native companion is not used";
      throw refusalOf("unsupported_parameter", [{ field: missing, reason }]);
    }
    return this.#draws.createSampler(context);
  }

  async logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]> {
    const answers = await this.#logProbabilities(tokens, top);
    // A sum over the whole row: it shows any value that is not finite.
    if (answers.some(({ logProbability }) => Number.isNaN(logProbability))) {
      throw new NotFiniteLogits();
    }
    return answers;
  }

  async #logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]> {
    const companion = this.#companion;
    if (companion === undefined) return this.#draws.logProbabilities(tokens, top);
    const known = tokens.map((one) => this.#steps?.scoresOf(one));
    if (known.every((one) => one !== undefined)) return known;
    return companionLogProbabilities(companion, this.#context, { tokens, top });
  }

  get #maxTextTokens(): number {
    return this.layout.kind === "unified" ? this.layout.cells : this.#contextSize;
  }
}

/**
 * See {@link TokenContext.retraction}. Tokens that enter a sliding window overwrite only what the first
 * of their sub-batch no longer sees (`find_slot` in llama.cpp's `llama-kv-cache.cpp`), and of an equally
 * long part nothing but its first token is evaluated in an earlier sub-batch.
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
