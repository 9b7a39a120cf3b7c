import type { Machine } from "../machine.js";
import type { SideResult } from "../summary/result-file.js";

/** What `npm run bench -- todos` measures with. */
export interface TodosOptions {
  /** Sizes of the collection when a run begins. */
  readonly items: readonly number[];
  /** Numbers of clients that write. */
  readonly clients: readonly number[];
  /** How long each load lasts, if nothing else ends it. */
  readonly seconds: number;
  readonly runs: number;
}

/** All that was measured. */
export interface TodosResult {
  readonly options: TodosOptions;
  /** Ours first. */
  readonly sides: readonly SideResult[];
  /** In the order in which they ran. */
  readonly runs: readonly TodosRun[];
}

/** One run of a workload on one server. */
export interface TodosRun {
  readonly workload: string;
  readonly items: number;
  readonly clients: number;
  /** From 1. */
  readonly run: number;
  readonly side: string;
  /** CPU time of the busiest process that made loads, as a share of one core. */
  readonly clientCpuShare: number;
  /** A value for each measure of the workload that came to a number. */
  readonly values: Readonly<Record<string, number>>;
}

/** What `npm run bench -- todos` writes. */
export interface TodosFile extends TodosResult {
  readonly kind: "todos";
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
}
