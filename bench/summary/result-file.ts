import type { Machine } from "../machine.js";
import type { Effort, Measure, Sample, Target } from "../scenarios/scenario.js";

/** What `npm run bench` writes: everything that a table or a chart is made of. */
export interface ResultFile {
  readonly format: 1;
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  readonly results: readonly ScenarioResult[];
}

/** One scenario, measured. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly description: string;
  readonly settings: ResultSettings;
  /** Tokens that the model's tokenizer makes of a word of the prompts. */
  readonly tokensPerWord: number;
  /** Ours first. */
  readonly sides: readonly SideResult[];
  readonly measures: Readonly<Record<string, Measure>>;
  readonly targets: readonly Target[];
  /** In the order in which they ran. */
  readonly runs: readonly RunResult[];
}

export interface ResultSettings {
  /** As `--model` took it, without folders. */
  readonly model: string;
  readonly slots: number;
  readonly contextSize: number;
  readonly threads: number;
  readonly clients: readonly number[];
  readonly runs: number;
  /** Begins every prompt's key: the same seed gives the same prompts. */
  readonly seed: string;
  readonly effort: Effort;
}

/** A server of a comparison. */
export interface SideResult {
  readonly label: string;
  readonly version: string;
  readonly command: readonly string[];
}

/** One run on one server. */
export interface RunResult {
  readonly clients: number;
  /** From 1. */
  readonly run: number;
  readonly side: string;
  readonly requests: number;
  /** Why requests failed, each reason once. */
  readonly errors: Readonly<Record<string, number>>;
  /** CPU time of the load client, as a share of one core. */
  readonly clientCpuShare: number;
  /** A value for each measure that came to a number. */
  readonly values: Readonly<Record<string, number>>;
  /** What was noted on the way, in order. */
  readonly samples: readonly Sample[];
}
