/**
 * The interface of the addon in `native/companion.cpp`. Objects passed to it are the binding's own.
 */
export interface NativeCompanion {
  /** Properties of the build. */
  readonly facts: StructureSizes & {
    /** The version of node-llama-cpp. */
    readonly builtFor: string;
    /** Hash of the sources. */
    readonly sources: string;
  };
  /** Passes the binding's classes to the companion, which then looks up llama.cpp's functions. */
  attach(bindings: object): void;
  /** Measures the structures that the loaded llama.cpp returns. */
  measureStructures(): StructureSizes;
  devices(): readonly NativeDevice[];
  /** Reads the parameters of a model. */
  readModel(model: object): ModelParamsRead;
  /** Reads the parameters of a context. */
  readContext(context: object): ContextParamsRead;
  /** Sets parameters of a model after its constructor and before loading. */
  configureModel(model: object, params: ModelParams): void;
  /** Sets parameters of a context after its constructor and before opening. */
  configureContext(context: object, params: ContextParams): void;
  /** Makes llama.cpp's functions visible to addons loaded later. */
  shareLibraries(): void;
  /** Returns a loaded model for such an addon; valid as long as the model is. */
  modelHandle(model: object): unknown;
  /** With `true`, aborts the batch in progress and each further one. */
  setAborted(context: object, isAborted: boolean): void;
  /** Empties all sequences and overwrites their cells with zeros. */
  clearCache(context: object): void;
  /**
   * Computes log-probabilities of one token of each row, and of each row's `top` most probable
   * tokens.
   */
  logProbabilities(
    context: object,
    rows: Int32Array,
    tokens: Int32Array,
    top: number,
  ): Promise<LogProbabilities>;
  /** A thread for an opened context. */
  readonly Stepper: new (
    context: object,
    /** Whether tokens of the last batch can be taken back. */
    canGoBack: boolean,
    /** Maximum number of threads that draw in parallel. */
    drawingThreads: number,
    /** Devices that may sample the rows they compute: a value of {@link SAMPLING_DEVICES}. */
    samplingDevices: number,
    /** The drafter that proposes tokens from the context's hidden states, if any. */
    drafting?: NativeDrafting,
  ) => NativeStepper;
  /**
   * Returns the name of a function that drafting from hidden states needs and the loaded llama.cpp
   * lacks; `undefined` if none is missing.
   */
  missingForHiddenStates(): string | undefined;
  /** Pools texts in an opened context, with its own compute threads or those of another pooler. */
  readonly Pooler: new (
    context: object,
    sharing?: NativePooler,
  ) => NativePooler;
}

/** Evaluates batches of texts, and pools each text into a vector if there is a pooling method. */
export interface NativePooler {
  /**
   * @param tokens of all texts, one text after the other
   * @param lengths number of tokens of each text
   * @returns one vector per text, or without a pooling method per token, one after the other
   */
  pool(tokens: Int32Array, lengths: Int32Array, threads: number): Promise<Float32Array>;
  /** Makes the compute threads stop spinning until the next batch; not during a batch. */
  rest(): void;
}

export interface StructureSizes {
  readonly contextParamsBytes: number;
  readonly modelParamsBytes: number;
}

/** A ggml device. */
export interface NativeDevice {
  /** Name as in `--device`, e.g. `CUDA0`. */
  readonly name: string;
  readonly description: string;
  readonly isGpu: boolean;
  /** Buffer type as in `--override-tensor`. */
  readonly bufferType: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Model parameters that node-llama-cpp does not pass on; absent ones are left unchanged. */
export interface ModelParams {
  /** Names of the devices that receive layers. */
  readonly devices?: readonly string[];
  readonly mainGpu?: number;
  /** A value of `llama_split_mode`. */
  readonly splitMode?: number;
  /** Whether layers for multi-token prediction are loaded (`load_mtp`). */
  readonly mtpLayers?: boolean;
  /** Proportions, one per device. */
  readonly tensorSplit?: Float32Array;
  /** Buffer types of tensors whose names match a regular expression. */
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

/** Context parameters that node-llama-cpp does not pass on; absent ones are left unchanged. */
export interface ContextParams {
  readonly kvUnified?: boolean;
  /** Whether the context computes only the model's layers for multi-token prediction. */
  readonly mtpLayers?: boolean;
  /**
   * The context of another model whose matrices this one may need (`ctx_other`); must be closed
   * after this one.
   */
  readonly target?: object;
  /** Maximum tokens evaluated in one pass (`n_ubatch`). */
  readonly microBatchTokens?: number;
  /** Maximum rows of logits in a batch (`n_outputs_max`). Exceeding it ends the process. */
  readonly maxOutputs?: number;
  /** Maximum rows of a sequence sampled by a device (`n_outputs_max_per_seq`). */
  readonly maxSampledOutputs?: number;
  readonly prefillThreads?: number;
  /** A value of `llama_pooling_type`. */
  readonly poolingType?: number;
  /** A value of `llama_rope_scaling_type`. */
  readonly ropeScaling?: number;
  readonly ropeFreqBase?: number;
  readonly ropeFreqScale?: number;
  /** Original training context, in tokens (`yarn_orig_ctx`). */
  readonly yarnOriginalContext?: number;
  readonly yarnExtFactor?: number;
  readonly yarnAttnFactor?: number;
  readonly yarnBetaSlow?: number;
  readonly yarnBetaFast?: number;
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
  readonly ropeScaling: number;
  readonly ropeFreqBase: number;
  readonly ropeFreqScale: number;
  readonly yarnOriginalContext: number;
  readonly yarnExtFactor: number;
  readonly yarnAttnFactor: number;
  readonly yarnBetaSlow: number;
  readonly yarnBetaFast: number;
}

export interface LogProbabilities {
  /** One log-probability per row. */
  readonly ofTokens: Float32Array;
  /** Top tokens of all rows, row by row, the most probable first. */
  readonly topTokens: Int32Array;
  readonly ofTop: Float32Array;
}

/** The thread that evaluates a context's batches and draws from them, one step at a time. */
export interface NativeStepper {
  /**
   * The device that samples rows where it can, e.g. `CUDA0`; `undefined` if the CPU samples all of
   * them.
   */
  readonly samplingDevice: string | undefined;
  /** Number of tokens in the vocabulary. */
  readonly vocabulary: number;
  /** @returns the sampler's id */
  createSampler(description: SamplerDescription): number;
  releaseSampler(id: number): void;
  /**
   * Evaluates a batch and draws from it.
   * @param parts the numbers of {@link PART_FIELD} for each part
   * @param tokens for each part its tokens, then the decided and the given ones, all concatenated
   * @param threads compute threads; 0 keeps the current number
   * @param mayGoOn whether the next step may start before it is requested: each part draws one
   *   token, and no row is read again. The early step is continued if it matches the next request,
   *   otherwise taken back
   */
  step(
    parts: Int32Array,
    tokens: Int32Array,
    threads: number,
    mayGoOn: boolean,
  ): Promise<NativeStepOutcome>;
  /**
   * Sets the allowed tokens of a part that awaits them in the current step. With `undefined`,
   * nothing is drawn.
   */
  mask(part: number, allowed: Uint32Array | undefined): void;
  /** Draws from a row of the last step. The batch fields of `part` are ignored. */
  draw(
    row: number,
    part: Int32Array,
    tokens: Int32Array,
    allowed: Uint32Array | undefined,
  ): Promise<NativeDraws>;
  /**
   * Proposes tokens from hidden states, for all texts in lockstep. Takes back a step started early.
   * @param texts for each text its sequence, the position of the first passed token, and the number
   *   of passed tokens; in ascending sequence order
   * @param tokens the passed tokens of all texts, concatenated; the last of each is not evaluated
   *   yet
   */
  propose(
    texts: Int32Array,
    tokens: Int32Array,
    length: number,
    threads: number,
  ): Promise<NativeProposal>;
  /**
   * Evaluates cells without tokens. Takes back a step started early.
   * @param positions positions of the cells; with M-RoPE those of four axes, axis by axis
   * @param rows the embeddings of the cells, concatenated
   * @param isCausal whether a cell attends only to cells before it; if not, all cells are in one
   *   micro-batch
   */
  evaluateCells(
    sequence: number,
    positions: Int32Array,
    rows: Float32Array,
    isCausal: boolean,
    threads: number,
  ): Promise<Pick<NativeStepOutcome, "result" | "error">>;
  /** Notifies the drafter of changes to sequences other than batches. */
  truncateDrafts(sequence: number, length: number): void;
  copyDrafts(from: number, to: number): void;
  clearDrafts(): void;
  /** Prevents an early start of the next step. */
  hold(): void;
  /** Makes compute threads stop spinning until the next step, to leave the cores to others. */
  rest(): void;
  /** Takes back a step started early, after which the context may be changed. */
  retract(): void;
  close(): void;
}

/** A drafter that proposes tokens from a context's hidden states, with its own opened context. */
export type NativeDrafting = {
  readonly context: object;
  /** Whether the followed context has a unified cache and evaluates batches in order. */
  readonly isOneStream: boolean;
  /** Maximum output rows in a batch of the drafter's context. */
  readonly outputRows: number;
} & (
  | { readonly kind: "mtp"; readonly layers: number }
  | { readonly kind: "eagle3"; readonly targetLayers: Int32Array }
);

export interface NativeProposal {
  /** The reason why drafting has failed permanently; empty if it has not. */
  readonly error: string;
  /** Number of tokens for each text; 0 if its last state is unknown. */
  readonly counts: Int32Array;
  /** Tokens of all texts, concatenated. */
  readonly tokens: Int32Array;
}

/** Index of each number of a part. */
export const PART_FIELD = {
  sequence: 0,
  position: 1,
  tokens: 2,
  logitsFrom: 3,
  sampler: 4,
  maxDraws: 5,
  decided: 6,
  given: 7,
  scoring: 8,
  top: 9,
  awaitsMask: 10,
  mayFollow: 11,
  keepsRows: 12,
} as const;

export const PART_FIELDS = 13;

/**
 * Devices whose rows may be sampled where they are computed; the context needs a
 * `maxSampledOutputs` of 1.
 */
export const SAMPLING_DEVICES = { none: 0, gpus: 1, any: 2 } as const;

/** Kinds of log-probabilities of drawn tokens. */
export const SCORING = { none: 0, model: 1, sampling: 2 } as const;

/** Outcome of drawing. */
export const DRAW_STATUS = { drawn: 0, notFinite: 1, noToken: 2 } as const;

export interface NativeDraws {
  /** A value of {@link DRAW_STATUS} for each part. */
  readonly statuses: Int32Array;
  /** Number of tokens drawn by each part. */
  readonly counts: Int32Array;
  /** Tokens of all parts, concatenated. */
  readonly tokens: Int32Array;
  /** Number of these tokens drawn by the device that computed the logits. */
  readonly ofDevice: number;
  /** Log-probabilities of the tokens of parts that requested them. */
  readonly scores?: {
    readonly drawn: Float32Array;
    /** Number of further tokens, for each drawn one. */
    readonly topCounts: Int32Array;
    readonly topTokens: Int32Array;
    readonly ofTop: Float32Array;
  };
}

export interface NativeStepOutcome extends NativeDraws {
  /** Return value of `llama_decode`: 0, 1 if the cache has no free cells, 2 if aborted. */
  readonly result: number;
  readonly error: string;
  /** Whether the step was started before it was requested. */
  readonly wasBegun: boolean;
}

/** The samplers of a generation, in order; the last one selects a token. */
export interface SamplerDescription {
  readonly biasTokens: Int32Array;
  readonly biasValues: Float32Array;
  /** Tokens that are forbidden until a number of tokens has been generated. */
  readonly forbidden: readonly { readonly tokens: Int32Array; readonly until: number }[];
  readonly stages: readonly SamplerStage[];
  /** See `describeDeviceSamplers`. */
  readonly onDevice?: string;
}

/** A llama.cpp sampler. `history` contains the tokens that it has seen before the first draw. */
export type SamplerStage =
  | {
      readonly type: "penalties";
      readonly window: number;
      readonly repetition: number;
      readonly frequency: number;
      readonly presence: number;
      readonly history: Int32Array;
    }
  | {
      readonly type: "dry";
      readonly multiplier: number;
      readonly base: number;
      readonly allowedLength: number;
      readonly window: number;
      /** For each breaker, the number of its tokens followed by the tokens. */
      readonly breakers: Int32Array;
      readonly history: Int32Array;
    }
  | { readonly type: "top-n-sigma"; readonly n: number }
  | { readonly type: "top-k"; readonly k: number }
  | { readonly type: "typical-p" | "top-p" | "min-p"; readonly p: number; readonly minKeep: number }
  | {
      readonly type: "xtc";
      readonly probability: number;
      readonly threshold: number;
      readonly minKeep: number;
      readonly seed: number;
    }
  | {
      readonly type: "temperature";
      readonly temperature: number;
      readonly range: number;
      readonly exponent: number;
    }
  | { readonly type: "greedy" }
  | { readonly type: "distribution"; readonly seed: number }
  | {
      readonly type: "adaptive-p";
      readonly target: number;
      readonly decay: number;
      readonly seed: number;
    }
  | {
      readonly type: "mirostat" | "mirostat-2";
      readonly tau: number;
      readonly eta: number;
      readonly seed: number;
    };
