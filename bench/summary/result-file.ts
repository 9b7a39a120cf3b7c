import type { Machine, Origin } from "../origin.js";
import type { Calibration, Curve, Effort, Measure, Sample, Target } from "../scenarios/scenario.js";
import type { Kernels } from "../servers/loaded-kernels.js";

/** Result file of `npm run bench`: all data for tables and charts. */
export interface ResultFile {
  readonly format: 1;
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  /** Absent in files written before origins were recorded. */
  readonly origin?: Origin;
  readonly results: readonly ScenarioResult[];
}

/** Result of one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly description: string;
  readonly settings: ResultSettings;
  /** Mean number of tokens per word of the prompts. */
  readonly tokensPerWord: number;
  /** Servers, ggufd first. */
  readonly sides: readonly SideResult[];
  readonly measures: Readonly<Record<string, Measure>>;
  readonly targets: readonly Target[];
  readonly curve?: Curve;
  /** Absent in files written before calibrations were recorded. */
  readonly calibrations?: readonly CalibrationResult[];
  /** Runs in execution order. */
  readonly runs: readonly RunResult[];
}

export interface ResultSettings {
  /** Value of `--model`, without directories. */
  readonly model: string;
  readonly slots: number;
  readonly contextSize: number;
  readonly threads: number;
  readonly clients: readonly number[];
  readonly runs: number;
  /** Prefix of every prompt's key: the same seed gives the same prompts. */
  readonly seed: string;
  readonly effort: Effort;
}

/** Server of a comparison. */
export interface SideResult {
  readonly label: string;
  readonly version: string;
  readonly command: readonly string[];
  /** Absent if it has none, and in files written before kernels were recorded. */
  readonly kernels?: Kernels;
}

/** Values measured on one server before the runs. */
export interface CalibrationResult {
  readonly clients: number;
  readonly side: string;
  readonly values: Calibration;
}

/** Run on one server. */
export interface RunResult {
  readonly clients: number;
  /** Number of the run, from 1. */
  readonly run: number;
  readonly side: string;
  readonly requests: number;
  /** Number of failed requests by reason. */
  readonly errors: Readonly<Record<string, number>>;
  /** CPU time of the load client, as a share of one core. */
  readonly clientCpuShare: number;
  /** Finite values, by measure. */
  readonly values: Readonly<Record<string, number>>;
  /** Samples recorded during the run, in order. */
  readonly samples: readonly Sample[];
}

/** File name of a result: `decode-135m`, `decode-15m-qwen2`. */
export function resultName({ scenario, settings }: ScenarioResult): string {
  const model = settings.model.replace(/\.gguf$/, "").replaceAll(/[^\w.-]+/g, "-");
  return `${scenario}-${model}`;
}
