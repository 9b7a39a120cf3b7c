/** The interface of the addon in `native/companion.cpp`. Its objects are the binding's own. */
export interface NativeCompanion {
  /** What it was compiled for. */
  readonly facts: StructureSizes & {
    /** A version of node-llama-cpp. */
    readonly builtFor: string;
    /** A hash of the sources. */
    readonly sources: string;
  };
  /** Tells it the binding's classes, and has it look up the functions of llama.cpp. */
  attach(bindings: object): void;
  /** The sizes of structures that the loaded llama.cpp returns. */
  measureStructures(): StructureSizes;
  devices(): readonly NativeDevice[];
  /** What stands in a model's parameters. */
  readModel(model: object): ModelParamsRead;
  /** What stands in a context's parameters. */
  readContext(context: object): ContextParamsRead;
  /** Between a model's constructor and its loading. */
  configureModel(model: object, params: ModelParams): void;
  /** Between a context's constructor and its opening. */
  configureContext(context: object, params: ContextParams): void;
  /** From the next batch on. llama.cpp takes the first number for batches of one token. */
  setThreads(context: object, decodeThreads: number, prefillThreads: number): void;
  /** `true` ends the batch that is being evaluated, and each further one. */
  setAborted(context: object, isAborted: boolean): void;
  /**
   * Makes logits −∞ that a mask does not allow.
   * @param masks a bit for each token of the vocabulary, lowest first, in whole words for each row
   */
  maskLogits(context: object, rows: Int32Array, masks: Uint32Array): void;
  /**
   * Whether a row of logits has neither NaN nor +∞. To be asked when the row has been read once: the first
   * read waits for the device.
   */
  isFinite(context: object, row: number): boolean;
  /** Empties all sequences, and overwrites what stood in their cells with zeros. */
  clearCache(context: object): void;
  /** Log-probabilities of one token of each row, and of the `top` most probable of each. */
  logProbabilities(
    context: object,
    rows: Int32Array,
    tokens: Int32Array,
    top: number,
  ): Promise<LogProbabilities>;
  /** What the last batch pooled for each sequence: vectors, one after the other. */
  embeddings(context: object, sequenceIds: Int32Array): Float32Array;
}

export interface StructureSizes {
  readonly contextParamsBytes: number;
  readonly modelParamsBytes: number;
}

/** A device of ggml. */
export interface NativeDevice {
  /** As in `--device`, e.g. `CUDA0`. */
  readonly name: string;
  readonly description: string;
  readonly isGpu: boolean;
  /** As in `--override-tensor`. */
  readonly bufferType: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Parameters of a model that node-llama-cpp does not pass on; absent ones stay as they are. */
export interface ModelParams {
  /** Names of the devices that layers go to. */
  readonly devices?: readonly string[];
  readonly mainGpu?: number;
  /** A value of `llama_split_mode`. */
  readonly splitMode?: number;
  /** Proportions, one for each device. */
  readonly tensorSplit?: Float32Array;
  /** Where tensors go whose names match a regular expression. */
  readonly overrides?: readonly TensorOverride[];
}

export interface TensorOverride {
  readonly pattern: string;
  readonly bufferType: string;
}

export interface ModelParamsRead {
  readonly gpuLayers: number;
  readonly mainGpu: number;
  readonly splitMode: number;
  readonly devices: readonly string[];
  readonly tensorSplit: readonly number[];
  readonly overrides: readonly TensorOverride[];
}

/** Parameters of a context that node-llama-cpp does not pass on; absent ones stay as they are. */
export interface ContextParams {
  readonly kvUnified?: boolean;
  /** Tokens that are evaluated in one pass at most (`n_ubatch`). */
  readonly microBatchTokens?: number;
  /** Rows of logits of a batch at most (`n_outputs_max`). More of them end the process. */
  readonly maxOutputs?: number;
  readonly prefillThreads?: number;
  /** A value of `llama_pooling_type`. */
  readonly poolingType?: number;
  readonly offloadKv?: boolean;
  readonly offloadOperations?: boolean;
  /** Whether {@link NativeCompanion.setAborted} can be used. */
  readonly abortable?: boolean;
}

export interface ContextParamsRead {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly microBatchTokens: number;
  readonly sequences: number;
  readonly maxOutputs: number;
  readonly threads: number;
  readonly prefillThreads: number;
  readonly poolingType: number;
  readonly kvUnified: boolean;
}

export interface LogProbabilities {
  /** One for each row. */
  readonly ofTokens: Float32Array;
  /** Tokens of each row, the most probable first, all rows one after the other. */
  readonly topTokens: Int32Array;
  readonly ofTop: Float32Array;
}
