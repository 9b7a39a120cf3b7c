import type { Machine } from "../machine.js";
import type { Origin } from "../origin.js";
import type { Calibration, Curve, Effort, Measure, Sample, Target } from "../scenarios/scenario.js";
import type { Kernels } from "../servers/loaded-kernels.js";

/** The result file of `npm run bench`: all data for tables and charts. */
export interface ResultFile {
  readonly format: 1;
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  /** Absent in files from before there were origins. */
  readonly origin?: Origin;
  readonly results: readonly ScenarioResult[];
}

/** The result of one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly description: string;
  readonly settings: ResultSettings;
  /** Mean number of tokens per word of the prompts. */
  readonly tokensPerWord: number;
  /** Ours first. */
  readonly sides: readonly SideResult[];
  readonly measures: Readonly<Record<string, Measure>>;
  readonly targets: readonly Target[];
  readonly curve?: Curve;
  /** Absent in files from before there were calibrations. */
  readonly calibrations?: readonly CalibrationResult[];
  /** In execution order. */
  readonly runs: readonly RunResult[];
}

export interface ResultSettings {
  /** The value of `--model`, without directories. */
  readonly model: string;
  readonly slots: number;
  readonly contextSize: number;
  readonly threads: number;
  readonly clients: readonly number[];
  readonly runs: number;
  /** Prefix of every prompt's key: the same seed gives the same prompts. */
  readonly seed: string;
  readonly effort: Effort;
  /** Of a scenario that lasts as long as it is told to; absent: it was not told. */
  readonly seconds?: number;
}

/** One server of a comparison. */
export interface SideResult {
  readonly label: string;
  readonly version: string;
  readonly command: readonly string[];
  /** Absent where it has none, and in files from before they were recorded. */
  readonly kernels?: Kernels;
}

/** What a scenario measured on one server before the runs. */
export interface CalibrationResult {
  readonly clients: number;
  readonly side: string;
  readonly values: Calibration;
}

/** One run on one server. */
export interface RunResult {
  readonly clients: number;
  /** 1-based. */
  readonly run: number;
  readonly side: string;
  readonly requests: number;
  /** Number of failed requests by reason. */
  readonly errors: Readonly<Record<string, number>>;
  /** CPU time of the load client, as a share of one core. */
  readonly clientCpuShare: number;
  /** The finite values, by measure. */
  readonly values: Readonly<Record<string, number>>;
  /** The samples recorded during the run, in order. */
  readonly samples: readonly Sample[];
}
