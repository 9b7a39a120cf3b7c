import assert from "node:assert/strict";
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { ThreadCounts } from "../../core/engine.js";
import {
  type AddonContext,
  type AddonSampler,
  type ContextInternals,
  createAddonSampler,
  type ModelInternals,
} from "./addon.js";
import type { Companion } from "./companion/attach-companion.js";
import type { NativeCompanion } from "./companion/native-companion.js";
import { constrainedSampler } from "./constrained-sampler.js";
import { partialTruncationOf } from "./kv-cache.js";
import {
  companionLogProbabilities,
  drawnLogProbabilities,
  type LogProbabilityQuestion,
  type ProbingDraws,
  scoredDraw,
} from "./log-probabilities.js";
import { nativeThreadsOf, threadsFor } from "./native-threads.js";
import {
  BatchAborted,
  type BatchMixing,
  type BatchPart,
  type CacheLayout,
  type Logits,
  type LogProbabilities,
  NotFiniteLogits,
  type SamplingContext,
  type ScoredDraw,
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

/** A {@link TokenContext} over a context of node-llama-cpp, which must not be used elsewhere. */
export class NativeContext implements TokenContext {
  readonly sequences: number;
  readonly layout: CacheLayout;
  readonly mixing: BatchMixing;
  readonly batchSize: number;
  readonly subBatchSize: number;
  readonly maxOutputs: number;
  readonly partialTruncation: TokenContext["partialTruncation"];
  readonly retraction: TokenContext["retraction"];
  readonly copyMs: number;
  readonly canClear: boolean;
  readonly #context: AddonContext;
  readonly #model: ModelInternals;
  readonly #contextSize: number;
  readonly #nativeThreads = nativeThreadsOf(process.env);
  /** `undefined`: as many as the library has chosen. */
  #threads: ThreadCounts | undefined;
  /** `undefined`: tokens are forbidden by biases. */
  readonly #companion: NativeCompanion | undefined;
  /** `undefined`: a batch cannot be aborted. */
  readonly #aborting: NativeCompanion | undefined;
  #batch: "none" | "evaluating" | "aborted" = "none";
  /** For log-probabilities without the companion; created on first use. */
  #probes: readonly AddonSampler[] | undefined;
  /** Settles when they have answered the last question: a sampler draws from one row at a time. */
  #probed: Promise<unknown> = Promise.resolve();
  /** Samplers that have drawn, where only their first rows are checked. */
  readonly #drawn = new WeakSet<AddonSampler>();
  /** Settles when a row of the last batch has been read for the first time. */
  #firstRead: Promise<unknown> | undefined;

  /**
   * @param context created with the parameters of `companionParams`
   * @param cache how it was created, and what one sequence takes of it
   */
  constructor(context: LlamaContext, cache: NativeCache, companion: Companion) {
    const { _ctx, _totalSequences } = context as unknown as ContextInternals;
    this.#context = _ctx;
    this.#model = context.model as unknown as ModelInternals;
    this.sequences = _totalSequences;
    this.layout =
      cache.layout === "unified"
        ? { kind: "unified", cells: this.sequences * context.contextSize }
        : { kind: "split" };
    this.batchSize = context.batchSize;
    const params = companion.state === "attached" ? companion.native.readContext(_ctx) : undefined;
    this.subBatchSize = params?.microBatchTokens ?? this.batchSize;
    this.maxOutputs = params?.maxOutputs || this.batchSize;
    this.#contextSize = context.contextSize;
    this.partialTruncation = partialTruncationOf(context.model.fileInsights);
    this.retraction = retractionOf(context.model);
    this.#companion = companion.state === "attached" ? companion.native : undefined;
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

  async evaluate(parts: readonly BatchPart[]): Promise<readonly (readonly Logits[])[]> {
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
    this.#context.initBatch(batchTokens);
    const logits = parts.map(({ sequenceId, position, tokens, logitsFrom }) => {
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
    this.#firstRead = undefined;
    if (this.#threads !== undefined) this.#context.setThreads(threadsFor(parts, this.#threads));
    await this.#decodeBatch(parts);
    return logits;
  }

  abort(): void {
    if (this.#batch !== "evaluating" || this.#aborting === undefined) return;
    this.#batch = "aborted";
    this.#aborting.setAborted(this.#context, true);
  }

  /** Of an aborted batch, llama.cpp keeps the sub-batches that it had evaluated. */
  async #decodeBatch(parts: readonly BatchPart[]): Promise<void> {
    this.#batch = "evaluating";
    try {
      await this.#context.decodeBatch();
    } catch (error) {
      if (!this.#isAborted) throw error;
      for (const { sequenceId, position } of parts) this.truncate(sequenceId, position);
      throw new BatchAborted();
    } finally {
      if (this.#isAborted) this.#aborting?.setAborted(this.#context, false);
      this.#batch = "none";
    }
  }

  get #isAborted(): boolean {
    return this.#batch === "aborted";
  }

  truncate(sequenceId: number, length: number): void {
    if (length === 0) this.#context.disposeSequence(sequenceId);
    else if (!this.#context.removeTokenCellsFromSequence(sequenceId, length, TO_THE_END)) {
      throw new Error(`llama.cpp cannot truncate sequence ${sequenceId} to ${length} tokens`);
    }
  }

  clear(): void {
    assert(this.#companion !== undefined, "without the companion, no cell can be overwritten");
    this.#companion.clearCache(this.#context);
  }

  async mark(sequenceId: number): Promise<StateMark> {
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
    const last = await this.#context.copySequenceStateFromOtherSequence(to, from);
    if (last < 0) throw new Error(`llama.cpp copied nothing from sequence ${from} to ${to}`);
  }

  save(sequenceId: number, tokens: readonly number[], path: string): Promise<number> {
    return this.#context.saveSequenceStateToFile(path, sequenceId, Uint32Array.from(tokens));
  }

  async restore(sequenceId: number, path: string): Promise<readonly number[]> {
    const maxTokens = this.layout.kind === "unified" ? this.layout.cells : this.#contextSize;
    const tokens = await this.#context.loadSequenceStateFromFile(path, sequenceId, maxTokens);
    // Tokens are signed: what stands in the cells of media is negative.
    return [...Int32Array.from(tokens)];
  }

  createSampler(context: SamplingContext): TokenSampler {
    const companion = context.logits === "read-later" ? undefined : this.#companion;
    return constrainedSampler(context, {
      sampler: createAddonSampler(this.#model),
      draw: (logits, sampler) => this.#draw(logits, sampler),
      drawScored: (logits, sampler, top) => this.#drawScored(logits, sampler, top),
      mask:
        companion &&
        (async (logits, allowed) => {
          // The first to touch a row puts the outputs in order, in this same turn of the event loop: in the next
          // one, a read would do so at the same time.
          if (this.#firstRead === undefined) this.#firstRead = Promise.resolve();
          else await this.#outputsInOrder();
          companion.maskLogits(this.#context, Int32Array.of(logits), allowed);
        }),
    });
  }

  /** Without the companion, a sampler's first row is read for it once more; all others would cost too much. */
  async #draw(logits: Logits, sampler: AddonSampler): Promise<number> {
    const token = await this.#read(() => this.#context.sampleToken(logits, sampler));
    await this.#assertFinite(logits, sampler, token);
    return token;
  }

  async #drawScored(logits: Logits, sampler: AddonSampler, top: number): Promise<ScoredDraw> {
    const drawn = await this.#read(() =>
      scoredDraw(
        (returned) => this.#context.sampleToken(logits, sampler, false, false, returned, true),
        top,
      ),
    );
    await this.#assertFinite(logits, sampler, drawn.token);
    return drawn;
  }

  /** @throws {NotFiniteLogits} */
  async #assertFinite(logits: Logits, sampler: AddonSampler, token: number): Promise<void> {
    if (this.#companion !== undefined) {
      if (!this.#companion.isFinite(this.#context, logits)) throw new NotFiniteLogits();
    } else if (!this.#drawn.has(sampler)) {
      this.#drawn.add(sampler);
      await this.logProbabilities([{ logits, token }], 0);
    }
  }

  async logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]> {
    const answers = await this.#readLogProbabilities({ tokens, top });
    // A sum over the whole row: it shows any value that is not finite.
    if (answers.some(({ logProbability }) => Number.isNaN(logProbability))) {
      throw new NotFiniteLogits();
    }
    return answers;
  }

  #readLogProbabilities(question: LogProbabilityQuestion): Promise<readonly LogProbabilities[]> {
    const companion = this.#companion;
    if (companion !== undefined) {
      return this.#read(() => companionLogProbabilities(companion, this.#context, question));
    }
    const probed = this.#probed
      .catch(() => undefined)
      .then(() => this.#read(() => drawnLogProbabilities(this.#probingDraws, question)));
    this.#probed = probed;
    return probed;
  }

  /** Samplers of their own: drawing changes a sampler. */
  get #probingDraws(): ProbingDraws {
    this.#probes ??= [{ temperature: 1, topK: 20 }, { temperature: 0 }].map((config) => {
      const sampler = createAddonSampler(this.#model);
      sampler.applyConfig({ minP: 0, topP: 1, seed: 0, ...config });
      return sampler;
    });
    const [first, greedy] = this.#probes;
    assert(first !== undefined && greedy !== undefined, "two samplers are made");
    return {
      top: async (logits, count) => {
        const options = [[], false, false, false, count] as const;
        const [, , , pairs = []] = await this.#context.sampleToken(
          logits,
          first,
          false,
          false,
          options,
        );
        return pairs;
      },
      weigh: async (logits, token) => {
        const options = [[token], false, false, false, 0] as const;
        const [, , , pairs = [], totalWeight = Number.NaN] = await this.#context.sampleToken(
          logits,
          greedy,
          false,
          true,
          options,
          true,
        );
        return { logit: pairs[1] ?? Number.NEGATIVE_INFINITY, totalWeight };
      },
    };
  }

  /**
   * llama.cpp waits for the device and puts its outputs in order when the first row is read. Reads
   * that run side by side would do so at the same time: the first one goes ahead.
   */
  async #read<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.#firstRead === undefined) {
      const first = read();
      this.#firstRead = first;
      return first;
    }
    // One thread takes one read after the other.
    if (this.#nativeThreads === "several") await this.#outputsInOrder();
    return read();
  }

  /** Settles when no read puts the outputs in order at this moment, which is to be awaited outside of the thread pool. */
  async #outputsInOrder(): Promise<void> {
    await this.#firstRead?.catch(() => undefined);
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
