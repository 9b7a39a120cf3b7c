import type { Machine } from "../machine.js";
import type { Origin } from "../origin.js";
import type { Effort } from "../scenarios/scenario.js";
import type { SideResult } from "../summary/result-file.js";
import type { SummaryRow } from "../summary/summarise.js";
import type { CurvePlot } from "./curve-plot.js";

/** The report on one scenario. */
export interface Section {
  /** Used in file names: no spaces. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly settings: string;
  /** Ours first. */
  readonly sides: readonly string[];
  /** The unit of a row's concurrency: clients, or sequences. */
  readonly concurrencyLabel: string;
  readonly rows: readonly SummaryRow[];
  readonly plots: readonly CurvePlot[];
  readonly machine: Machine;
  /** ISO 8601. */
  readonly date: string;
  /** Undefined in results from before there were origins. */
  readonly origin: Origin | undefined;
  readonly effort: Effort;
  /** Ours first, as the sides; empty in results from before they were recorded. */
  readonly servers: readonly SideResult[];
  readonly notes: readonly string[];
}
