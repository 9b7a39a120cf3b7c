/**
 * node-llama-cpp's undocumented interface: its native binding of a context. The documented
 * `evaluate()` drives one sequence at a time and leaves batching to a dispatcher, but a server has
 * to compose its own batches. The package's version is pinned, and
 * `test/engine/native/native-context.test.ts` checks every member used here against it.
 */

/** The part of a sequence's state that cannot be truncated. */
export interface AddonCheckpoint {
  /** Position of the last token. */
  readonly maxPos: number;
  init(context: AddonContext, sequenceId: number): Promise<void>;
  dispose(): void;
}

/** A LoRA adapter. It occupies memory until it is disposed; no context may use it after that. */
export interface AddonLora {
  dispose(): Promise<void>;
}

export interface AddonContext {
  /**
   * Sets the adapters under which all further batches are computed, replacing the previous ones.
   */
  setLoras(loras: readonly AddonLora[], scales: readonly number[]): void;
  /** Sets the number of compute threads, starting with the next batch. */
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
  /** @returns -1 if the sequence is empty */
  getSequenceKvCacheMinPosition(sequenceId: number): number;
  /** @returns -1 if the sequence is empty */
  getSequenceKvCacheMaxPosition(sequenceId: number): number;
  copySequenceStateFromOtherSequence(to: number, from: number): Promise<number>;
  saveSequenceStateToFile(path: string, sequenceId: number, tokens: Uint32Array): Promise<number>;
  loadSequenceStateFromFile(
    path: string,
    sequenceId: number,
    maxTokens: number,
  ): Promise<Uint32Array>;
  /** Restores a checkpoint and removes the cells after a position. */
  restoreCheckpoint(
    checkpoint: AddonCheckpoint,
    maxPos: number,
    sequenceId: number,
  ): Promise<boolean>;
}

/** Private members of node-llama-cpp's contexts. */
export interface ContextInternals {
  readonly _ctx: AddonContext;
  readonly _totalSequences: number;
}

/** Private members of node-llama-cpp's models. */
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
