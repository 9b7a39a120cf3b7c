/**
 * node-llama-cpp's undocumented interface: its native binding of a context. The documented `evaluate()`
 * drives one sequence at a time and leaves batching to a dispatcher, but a server has to compose its
 * batches. The package's version is pinned, and `test/engine/native/native-context.test.ts` checks every
 * member used here against it.
 */

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
      readonly AddonContextSequenceCheckpoint: new () => AddonCheckpoint;
    };
  };
}
