import type { Machine } from "../machine.js";
import type { Origin } from "../origin.js";
import type { SideResult } from "../summary/result-file.js";

/** The settings of `npm run bench -- todos`. */
export interface TodosOptions {
  /** Initial sizes of the collection. */
  readonly items: readonly number[];
  /** Numbers of writing clients. */
  readonly clients: readonly number[];
  /** Duration of each load, unless it ends earlier. */
  readonly seconds: number;
  readonly runs: number;
}

/** The results of all runs. */
export interface TodosResult {
  readonly options: TodosOptions;
  /** Ours first. */
  readonly sides: readonly SideResult[];
  /** In execution order. */
  readonly runs: readonly TodosRun[];
}

/** One run of a workload on one server. */
export interface TodosRun {
  readonly workload: string;
  readonly items: number;
  readonly clients: number;
  /** 1-based. */
  readonly run: number;
  readonly side: string;
  /** CPU time of the busiest load-generator process, as a share of one core. */
  readonly clientCpuShare: number;
  /** The finite values, by measure of the workload. */
  readonly values: Readonly<Record<string, number>>;
}

/** The result file of `npm run bench -- todos`. */
export interface TodosFile extends TodosResult {
  readonly kind: "todos";
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  /** Absent in files from before there were origins. */
  readonly origin?: Origin;
}
