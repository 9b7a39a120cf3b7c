/**
 * The one place that goes past node-llama-cpp's documented interface, to its binding of a context
 * (the package's version is pinned, and `test/engine/native-context.test.ts` checks all that is
 * used here against it). The documented `evaluate()` drives one sequence at a time and leaves the
 * batch to a dispatcher; a server decides about the batch itself.
 */
import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { ThreadedContext } from "../threads/thread-calibration.js";
import { samplerConfig, variesBetweenTokens } from "./sampler-config.js";
import type {
  BatchPart,
  Logits,
  SamplingContext,
  TokenContext,
  TokenSampler,
} from "./token-context.js";

interface AddonSampler {
  applyConfig(config: ReturnType<typeof samplerConfig>): void;
  dispose(): void;
}

interface AddonContext {
  setThreads(threads: number): void;
  initBatch(tokens: number): void;
  addToBatch(
    sequenceId: number,
    position: number,
    tokens: Uint32Array,
    logitIndexes: Uint32Array,
  ): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(logits: number, sampler: AddonSampler): Promise<number>;
  removeTokenCellsFromSequence(sequenceId: number, from: number, to: number): boolean;
  disposeSequence(sequenceId: number): void;
  copySequenceStateFromOtherSequence(to: number, from: number): Promise<number>;
  saveSequenceStateToFile(path: string, sequenceId: number, tokens: Uint32Array): Promise<number>;
  loadSequenceStateFromFile(path: string, sequenceId: number, most: number): Promise<Uint32Array>;
}

interface Internals {
  readonly _ctx: AddonContext;
  readonly _totalSequences: number;
}

interface ModelInternals {
  readonly _model: object;
  readonly _llama: {
    readonly _bindings: { readonly AddonSampler: new (model: object) => AddonSampler };
  };
}

/** llama.cpp's word for the end of a sequence. */
const TO_THE_END = -1;

/** A {@link TokenContext} over a context of node-llama-cpp, which nobody else may evaluate with. */
export class NativeContext implements ThreadedContext {
  readonly sequences: number;
  readonly batchSize: number;
  readonly cuts: TokenContext["cuts"];
  readonly #context: AddonContext;
  readonly #model: ModelInternals;
  readonly #contextSize: number;

  constructor(context: LlamaContext) {
    const { _ctx, _totalSequences } = context as unknown as Internals;
    this.#context = _ctx;
    this.#model = context.model as unknown as ModelInternals;
    this.sequences = _totalSequences;
    this.batchSize = context.batchSize;
    this.#contextSize = context.contextSize;
    this.cuts = canCutAnywhere(context.model) ? "anywhere" : "to nothing";
  }

  setThreads(threads: number): void {
    this.#context.setThreads(threads);
  }

  async evaluate(parts: readonly BatchPart[]): Promise<readonly (readonly Logits[])[]> {
    this.#context.initBatch(parts.reduce((sum, { tokens }) => sum + tokens.length, 0));
    const logits = parts.map(({ sequenceId, position, tokens, logitsFrom }) => {
      const wanted = Uint32Array.from(
        { length: tokens.length - logitsFrom },
        (_, index) => logitsFrom + index,
      );
      const handles = this.#context.addToBatch(
        sequenceId,
        position,
        Uint32Array.from(tokens),
        wanted,
      );
      return Array.from(handles) as Logits[];
    });
    await this.#context.decodeBatch();
    return logits;
  }

  cut(sequenceId: number, length: number): void {
    if (length === 0) this.#context.disposeSequence(sequenceId);
    else if (!this.#context.removeTokenCellsFromSequence(sequenceId, length, TO_THE_END)) {
      throw new Error(`llama.cpp cannot cut sequence ${sequenceId} to ${length} tokens`);
    }
  }

  async copy(from: number, to: number): Promise<void> {
    const last = await this.#context.copySequenceStateFromOtherSequence(to, from);
    if (last < 0) throw new Error(`llama.cpp copied nothing of sequence ${from} to ${to}`);
  }

  save(sequenceId: number, tokens: readonly number[], path: string): Promise<number> {
    return this.#context.saveSequenceStateToFile(path, sequenceId, Uint32Array.from(tokens));
  }

  async restore(sequenceId: number, path: string): Promise<void> {
    await this.#context.loadSequenceStateFromFile(path, sequenceId, this.#contextSize);
  }

  createSampler(context: SamplingContext): TokenSampler {
    const { _llama, _model } = this.#model;
    const sampler = new _llama._bindings.AddonSampler(_model);
    const configure = () => sampler.applyConfig(samplerConfig(context));
    configure();
    const varies = variesBetweenTokens(context.options);
    return {
      sample: async (logits) => {
        if (varies) configure();
        const token = await this.#context.sampleToken(logits, sampler);
        if (token < 0) throw new Error("llama.cpp sampled no token");
        return token;
      },
      dispose: () => sampler.dispose(),
    };
  }
}

/** Whether a model's state can be cut back to any length: see {@link TokenContext.cuts}. */
export function canCutAnywhere({ fileInsights }: LlamaModel): boolean {
  return !fileInsights.isRecurrent && !fileInsights.isHybrid && fileInsights.swaSize === undefined;
}
