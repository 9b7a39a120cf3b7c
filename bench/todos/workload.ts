import type { Measure, Target } from "../scenarios/scenario.js";
import type { RunningServer } from "../servers/server.js";
import type { Load, LoadResult } from "./load.js";

/** What one run of a workload has to work with. */
export interface Stage {
  readonly items: number;
  readonly clients: number;
  /** How long a load lasts, if nothing else ends it. */
  readonly seconds: number;
  /** Starts the side's server on a file of so many items; it is stopped when the run has ended. */
  serve(items: number): Promise<TodoServer>;
  /** Makes a load in a process of its own; several may run at a time. */
  load(load: Load): Promise<LoadResult>;
}

export interface TodoServer extends Pick<RunningServer, "pid"> {
  /** `http://HOST:PORT` */
  readonly origin: string;
}

/** A target that may be one for a single number of items. */
export interface TodosTarget extends Target {
  readonly items?: number;
}

/** One kind of traffic on the to-do service and what is measured under it. */
export interface Workload {
  readonly name: string;
  /** Every server of the comparison, or our own where nothing is compared. */
  readonly sides: "all" | "ours";
  /** Numbers of clients to measure. */
  readonly clients: (asked: readonly number[]) => readonly number[];
  readonly measures: Readonly<Record<string, Measure>>;
  readonly targets: readonly TodosTarget[];
  /** Makes the loads of one run and reduces what came of them; a value for each measure. */
  run(stage: Stage): Promise<Readonly<Record<string, number>>>;
}
