import type { LlamaContext } from "node-llama-cpp";
import type { ContextInternals } from "./addon.js";
import type { NativeCompanion, NativePooler } from "./companion/native-companion.js";
import type { PoolingContext } from "./pooling-context.js";

/** Value of llama.cpp's `llama_pooling_type`. */
const NO_POOLING = 0;

/** A {@link PoolingContext} over a node-llama-cpp context, which must not be used elsewhere. */
export class NativePoolingContext implements PoolingContext {
  readonly sequences: number;
  readonly batchTokens: number;
  readonly #pooler: NativePooler;
  readonly #isPooled: boolean;

  /**
   * @param context a context created for embeddings
   * @param sharedContext a context whose compute threads it uses; its own by default
   */
  constructor(
    context: LlamaContext,
    companion: NativeCompanion,
    sharedContext?: NativePoolingContext,
  ) {
    const { _ctx, _totalSequences } = context as unknown as ContextInternals;
    this.#pooler = new companion.Pooler(
      _ctx,
      sharedContext === undefined ? undefined : sharedContext.#pooler,
    );
    this.#isPooled = companion.readContext(_ctx).poolingType !== NO_POOLING;
    this.sequences = _totalSequences;
    this.batchTokens = context.batchSize;
  }

  async pool(sequences: readonly (readonly number[])[], threads: number): Promise<Float32Array[]> {
    const lengths = Int32Array.from(sequences, ({ length }) => length);
    const vectors = await this.#pooler.pool(Int32Array.from(sequences.flat()), lengths, threads);
    const rows = this.#isPooled ? lengths.map(() => 1) : lengths;
    const rowLength = vectors.length / rows.reduce((sum, count) => sum + count, 0);
    let end = 0;
    return Array.from(rows, (count) => {
      const begin = end;
      end += count * rowLength;
      return vectors.slice(begin, end);
    });
  }

  rest(): void {
    this.#pooler.rest();
  }
}

/** Pools short batches in a separate context. */
export class ShortBatches implements PoolingContext {
  readonly sequences: number;
  readonly batchTokens: number;
  readonly #shortContext: PoolingContext;
  readonly #defaultContext: PoolingContext;

  /** @param others receives batches that do not fit into `short`, and shares its compute threads */
  constructor(short: PoolingContext, others: PoolingContext) {
    this.#shortContext = short;
    this.#defaultContext = others;
    this.sequences = others.sequences;
    this.batchTokens = others.batchTokens;
  }

  pool(sequences: readonly (readonly number[])[], threads: number): Promise<Float32Array[]> {
    const tokens = sequences.reduce((sum, { length }) => sum + length, 0);
    const { batchTokens, sequences: most } = this.#shortContext;
    const isShort = tokens <= batchTokens && sequences.length <= most;
    return (isShort ? this.#shortContext : this.#defaultContext).pool(sequences, threads);
  }

  rest(): void {
    this.#defaultContext.rest();
  }
}
