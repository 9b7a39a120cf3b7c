import type { KvCacheType } from "./llama/kv-cache.js";
import type { GpuChoice } from "./llama/llama-backend.js";
import type { NativeLog } from "./llama/native-errors.js";
import type { StepReport } from "./step/step-report.js";

/** What an engine is loaded with. Plain data: it may cross a process boundary. */
export interface EngineSettings {
  readonly modelPath: string;
  readonly gpu: GpuChoice;
  /** Layers to put on the GPU. */
  readonly gpuLayers: number | "auto";
  readonly threads: number | "auto";
  /** Sequences that generate at the same time; `undefined`: chosen by memory. */
  readonly slots: number | undefined;
  /** Tokens of one slot; `undefined`: likewise. */
  readonly contextSize: number | undefined;
  readonly kvCacheType: KvCacheType;
  readonly batchSize: number;
  /** Longest time between two tokens of a generation that is aimed at, in milliseconds. */
  readonly itlTargetMs: number;
  /** `auto`: tokens that are likely to follow are proposed where that pays. */
  readonly speculation: "auto" | "off";
  /** A small model of the same vocabulary that proposes tokens too. */
  readonly draftModelPath: string | undefined;
  /** Memory for states of conversations whose slot was needed, in MiB; 0: they are lost. */
  readonly cacheRamMiB: number;
  /** Folder for such states that outlives the process, and its room in MiB. */
  readonly cacheDir: string | undefined;
  readonly cacheDiskMiB: number;
  /** Seed of requests that name none; `undefined`: a random one for each. */
  readonly seed: number | undefined;
  /** Version of the server, part of the fingerprint. */
  readonly version: string;
}

/** Whom an engine tells what happens inside it. */
export interface EngineHooks {
  readonly log: NativeLog;
  /** Told how much of the model is loaded, 0–1. */
  readonly onProgress: (progress: number) => void;
  /** A step is over: all its events have been emitted. */
  readonly onStepEnd: (report: StepReport) => void;
}
