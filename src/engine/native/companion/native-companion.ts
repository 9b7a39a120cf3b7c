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
  /** Has addons that are loaded from now on find the functions of llama.cpp. */
  shareLibraries(): void;
  /** A loaded model, for such an addon: valid as long as the model is. */
  modelHandle(model: object): unknown;
  /** From the next batch on. llama.cpp takes the first number for batches of one token. */
  setThreads(context: object, decodeThreads: number, prefillThreads: number): void;
  /** `true` ends the batch that is being evaluated, and each further one. */
  setAborted(context: object, isAborted: boolean): void;
  /** Empties all sequences, and overwrites what stood in their cells with zeros. */
  clearCache(context: object): void;
  /** Log-probabilities of one token of each row, and of the `top` most probable of each. */
  logProbabilities(
    context: object,
    rows: Int32Array,
    tokens: Int32Array,
    top: number,
  ): Promise<LogProbabilities>;
  /** A thread for a context that has been opened. */
  readonly Stepper: new (
    context: object,
    /** Whether the tokens of the last batch can be taken back. */
    canGoBack: boolean,
    /** Threads that draw side by side, at most. */
    drawingThreads: number,
    /** Which devices may sample the rows that they have computed, a value of {@link SAMPLING_DEVICES}. */
    samplingDevices: number,
    /** What proposes tokens by the context's hidden states, if anything does. */
    drafting?: NativeDrafting,
  ) => NativeStepper;
  /** The function for hidden states that the loaded llama.cpp has not: nothing can propose by them. */
  missingForHiddenStates(): string | undefined;
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
  /** Whether layers for multi-token prediction are loaded (`load_mtp`). */
  readonly mtpLayers?: boolean;
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
  /** Whether it computes the model's layers for multi-token prediction, and no others. */
  readonly mtpLayers?: boolean;
  /** The context of another model whose matrices it may need (`ctx_other`); to be closed after this one. */
  readonly target?: object;
  /** Tokens that are evaluated in one pass at most (`n_ubatch`). */
  readonly microBatchTokens?: number;
  /** Rows of logits of a batch at most (`n_outputs_max`). More of them end the process. */
  readonly maxOutputs?: number;
  /** The same of a sequence that a device samples (`n_outputs_max_per_seq`). */
  readonly maxSampledOutputs?: number;
  readonly prefillThreads?: number;
  /** A value of `llama_pooling_type`. */
  readonly poolingType?: number;
  /** A value of `llama_rope_scaling_type`. */
  readonly ropeScaling?: number;
  readonly ropeFreqBase?: number;
  readonly ropeFreqScale?: number;
  /** Tokens (`yarn_orig_ctx`). */
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
  /** One for each row. */
  readonly ofTokens: Float32Array;
  /** Tokens of each row, the most probable first, all rows one after the other. */
  readonly topTokens: Int32Array;
  readonly ofTop: Float32Array;
}

/** The thread that evaluates the batches of a context and draws from them. One step at a time. */
export interface NativeStepper {
  /** The device that samples what it can, e.g. `CUDA0`; `undefined`: all rows are sampled on the CPU. */
  readonly samplingDevice: string | undefined;
  /** Number of tokens of the vocabulary. */
  readonly vocabulary: number;
  /** @returns its id */
  createSampler(description: SamplerDescription): number;
  releaseSampler(id: number): void;
  /**
   * Evaluates a batch and draws from it.
   * @param parts the numbers of {@link PART_FIELD} for each part
   * @param tokens those of each part, then those that were decided and those that are given, one after the other
   * @param threads that compute; 0: as before
   * @param mayGoOn whether the next step may be begun before it is asked for: each part draws one token, and no row is
   *   read again. What is begun is gone on with if the next step is the one that was foreseen, else taken back
   */
  step(
    parts: Int32Array,
    tokens: Int32Array,
    threads: number,
    mayGoOn: boolean,
  ): Promise<NativeStepOutcome>;
  /** The tokens that may come in a part of the step in progress that awaits them. `undefined`: nothing is drawn. */
  mask(part: number, allowed: Uint32Array | undefined): void;
  /** Draws from a row of the last step. What its fields say of a batch is not looked at. */
  draw(
    row: number,
    part: Int32Array,
    tokens: Int32Array,
    allowed: Uint32Array | undefined,
  ): Promise<NativeDraws>;
  /**
   * Proposes tokens by hidden states, all texts in lockstep. What was begun before it was asked for is taken back.
   * @param texts sequence, position of the first shown token, and number of shown tokens of each, in ascending sequence
   * @param tokens the shown ones of all texts, one after the other; the last of each is not evaluated yet
   */
  propose(
    texts: Int32Array,
    tokens: Int32Array,
    length: number,
    threads: number,
  ): Promise<NativeProposal>;
  /**
   * Evaluates cells that have no tokens. What was begun before it was asked for is taken back.
   * @param positions of the cells; with M-RoPE those of four axes, one axis after the other
   * @param rows the embeddings of the cells, one after the other
   * @param isCausal whether a cell sees those before it alone; if not, all of them are in one micro-batch
   */
  evaluateCells(
    sequence: number,
    positions: Int32Array,
    rows: Float32Array,
    isCausal: boolean,
    threads: number,
  ): Promise<Pick<NativeStepOutcome, "result" | "error">>;
  /** What has happened to sequences beside batches, for what proposes by their states. */
  truncateDrafts(sequence: number, length: number): void;
  copyDrafts(from: number, to: number): void;
  clearDrafts(): void;
  /** Nothing is begun before it is asked for, until the next step. */
  hold(): void;
  /** The threads that compute stop looking for work until the next step: somebody else needs the cores. */
  rest(): void;
  /** Takes back what was begun before it was asked for. The context may be changed then. */
  retract(): void;
  close(): void;
}

/** What proposes tokens by the hidden states of a context, with an opened context of its own. */
export type NativeDrafting = {
  readonly context: object;
  /** Whether the followed context has a unified cache, and evaluates batches in their order. */
  readonly isOneStream: boolean;
  /** Rows that a batch of its context may write. */
  readonly outputRows: number;
} & (
  | { readonly kind: "mtp"; readonly layers: number }
  | { readonly kind: "eagle3"; readonly targetLayers: Int32Array }
);

export interface NativeProposal {
  /** Why nothing will be proposed any more; empty: it will. */
  readonly error: string;
  /** Numbers of tokens for each text; 0 where its last state is not known. */
  readonly counts: Int32Array;
  /** Of all texts, one after the other. */
  readonly tokens: Int32Array;
}

/** The numbers of a part, by their places. */
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

/** Whose rows may be sampled where they are computed: the context needs `maxSampledOutputs` of 1. */
export const SAMPLING_DEVICES = { none: 0, gpus: 1, any: 2 } as const;

/** Which log-probabilities of drawn tokens are wanted. */
export const SCORING = { none: 0, model: 1, sampling: 2 } as const;

/** How drawing went. */
export const DRAW_STATUS = { drawn: 0, notFinite: 1, noToken: 2 } as const;

export interface NativeDraws {
  /** Of each part, a value of {@link DRAW_STATUS}. */
  readonly statuses: Int32Array;
  /** Numbers of tokens that each part has drawn. */
  readonly counts: Int32Array;
  /** Of all parts, one after the other. */
  readonly tokens: Int32Array;
  /** Number of them that the device has drawn that has computed the logits. */
  readonly ofDevice: number;
  /** Of the tokens of those parts that have wanted them. */
  readonly scores?: {
    readonly drawn: Float32Array;
    /** Numbers of further tokens, for each drawn one. */
    readonly topCounts: Int32Array;
    readonly topTokens: Int32Array;
    readonly ofTop: Float32Array;
  };
}

export interface NativeStepOutcome extends NativeDraws {
  /** What `llama_decode` has returned: 0, 1 without a place in the cache, 2 if it was aborted. */
  readonly result: number;
  readonly error: string;
  /** Whether it was begun before it was asked for. */
  readonly wasBegun: boolean;
}

/** The samplers of a generation, in their order; the last one chooses a token. */
export interface SamplerDescription {
  readonly biasTokens: Int32Array;
  readonly biasValues: Float32Array;
  /** Tokens that are impossible until so many have been generated. */
  readonly forbidden: readonly { readonly tokens: Int32Array; readonly until: number }[];
  readonly stages: readonly SamplerStage[];
  /** See `deviceKindOf`. */
  readonly onDevice?: string;
}

/** A sampler of llama.cpp. `history` is what it knows of the text before the first draw. */
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
      /** For each breaker the number of its tokens, then these. */
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
