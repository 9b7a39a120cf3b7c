import type { Machine, Origin } from "../origin.js";
import type { SideResult } from "../summary/result-file.js";

/** Settings of `npm run bench -- todos`. */
export interface TodosOptions {
  /** Initial sizes of the collection. */
  readonly items: readonly number[];
  /** Numbers of writing clients. */
  readonly clients: readonly number[];
  /** Duration of each load, unless it ends earlier. */
  readonly seconds: number;
  readonly runs: number;
}

/** Results of all runs. */
export interface TodosResult {
  readonly options: TodosOptions;
  /** Sides, ggufd first. */
  readonly sides: readonly SideResult[];
  /** Runs in execution order. */
  readonly runs: readonly TodosRun[];
}

/** Run of a workload on one server. */
export interface TodosRun {
  readonly workload: string;
  readonly items: number;
  readonly clients: number;
  /** Number of the run, from 1. */
  readonly run: number;
  readonly side: string;
  /** CPU time of the busiest load-generator process, as a share of one core. */
  readonly clientCpuShare: number;
  /** Finite values, by measure of the workload. */
  readonly values: Readonly<Record<string, number>>;
}

/** Result file of `npm run bench -- todos`. */
export interface TodosFile extends TodosResult {
  readonly kind: "todos";
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  /** Absent in files written before origins were recorded. */
  readonly origin?: Origin;
}
