import type { Measure, Target } from "../scenarios/scenario.js";
import type { RunningServer } from "../servers/server.js";
import type { Load, LoadResult } from "./load.js";

/** Settings of one run of a workload, and functions that start servers and run loads. */
export interface WorkloadContext {
  readonly items: number;
  readonly clients: number;
  /** Duration of a load, unless it ends earlier. */
  readonly seconds: number;
  /** Starts the side's server on a file with `items` items; it is stopped after the run. */
  startServer(items: number): Promise<TodoServer>;
  /** Runs a load in a separate process; loads may run concurrently. */
  runLoad(load: Load): Promise<LoadResult>;
}

export interface TodoServer extends Pick<RunningServer, "pid"> {
  /** `http://HOST:PORT` */
  readonly origin: string;
}

/** Target for all numbers of items, or only for `items`. */
export interface TodosTarget extends Target {
  readonly items?: number;
}

/** Traffic pattern on the to-do service and its measures. */
export interface Workload {
  readonly name: string;
  /** All servers of the comparison, or ggufd alone. */
  readonly sides: "all" | "ours";
  /** Client counts to measure, given those requested on the command line. */
  readonly clients: (requested: readonly number[]) => readonly number[];
  readonly measures: Readonly<Record<string, Measure>>;
  readonly targets: readonly TodosTarget[];
  /** Runs the loads of one run and returns a value for each measure. */
  run(context: WorkloadContext): Promise<Readonly<Record<string, number>>>;
}
