/**
 * node-llama-cpp's undocumented interface: its native binding of a context. The documented `evaluate()`
 * drives one sequence at a time and leaves batching to a dispatcher, but a server has to compose its
 * batches. The package's version is pinned, and `test/engine/native/native-context.test.ts` checks every
 * member used here against it.
 */
import type { SamplerConfig } from "./sampler-config.js";

export interface AddonSampler {
  applyConfig(config: SamplerConfig): void;
  dispose(): void;
}

/** Which logits are returned: of some tokens, the highest, the lowest, the drawn one's, the first few. */
export type ReturnedLogits = readonly [
  tokens: readonly number[],
  highest: boolean,
  lowest: boolean,
  drawn: boolean,
  top: number,
];

/** A drawn token, −1 if none is left, and what else was asked for. */
export type SampledToken = readonly [
  token: number,
  probabilities?: readonly number[],
  confidence?: number,
  /** Tokens and logits one after the other: the first few, then those asked for by name. */
  logits?: readonly number[],
  /** The sum of e^(logit − highest logit). */
  totalWeight?: number,
];

/** The part of a sequence's state that cannot be truncated. */
export interface AddonCheckpoint {
  /** Position of the last token. */
  readonly maxPos: number;
  init(context: AddonContext, sequenceId: number): Promise<void>;
  dispose(): void;
}

/** A LoRA adapter. Its memory stays until it is disposed, which no context may use it after. */
export interface AddonLora {
  dispose(): Promise<void>;
}

export interface AddonContext {
  /** What is evaluated from now on is computed under these adapters, and no others. */
  setLoras(loras: readonly AddonLora[], scales: readonly number[]): void;
  /** Sets the number of computing threads, from the next batch on. */
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
  sampleToken(
    logits: number,
    sampler: AddonSampler,
    returnProbabilities: boolean,
    returnConfidence: boolean,
    returnLogits: ReturnedLogits,
    returnTotalWeight?: boolean,
  ): Promise<SampledToken>;
  /** What the last batch pooled for sequence 0, of so many tokens. */
  getEmbedding(tokens: number): Float64Array;
  removeTokenCellsFromSequence(sequenceId: number, from: number, to: number): boolean;
  disposeSequence(sequenceId: number): void;
  copySequenceStateFromOtherSequence(to: number, from: number): Promise<number>;
  saveSequenceStateToFile(path: string, sequenceId: number, tokens: Uint32Array): Promise<number>;
  loadSequenceStateFromFile(
    path: string,
    sequenceId: number,
    maxTokens: number,
  ): Promise<Uint32Array>;
  /** Restores a checkpoint, and removes what is behind a position. */
  restoreCheckpoint(
    checkpoint: AddonCheckpoint,
    maxPos: number,
    sequenceId: number,
  ): Promise<boolean>;
}

/** What node-llama-cpp's contexts keep to themselves. */
export interface ContextInternals {
  readonly _ctx: AddonContext;
  readonly _totalSequences: number;
}

/** What its models keep to themselves. */
export interface ModelInternals {
  readonly _model: {
    loadLora(lora: AddonLora): Promise<void>;
  };
  readonly _llama: {
    readonly _bindings: {
      readonly AddonModelLora: new (model: object, path: string) => AddonLora;
      readonly AddonSampler: new (model: object) => AddonSampler;
      readonly AddonContextSequenceCheckpoint: new () => AddonCheckpoint;
    };
  };
}

/** A sampler of the binding. It has no configuration yet. */
export function createAddonSampler({ _llama, _model }: ModelInternals): AddonSampler {
  return new _llama._bindings.AddonSampler(_model);
}
