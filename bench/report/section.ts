import type { Machine, Origin } from "../origin.js";
import type { Effort } from "../scenarios/scenario.js";
import type { SideResult } from "../summary/result-file.js";
import type { SummaryRow } from "../summary/summarise.js";
import type { CurvePlot } from "./curve-plot.js";

/** Report on one scenario. */
export interface Section {
  /** Name without spaces, used in file names. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly settings: string;
  /** Labels of the sides, ggufd first. */
  readonly sides: readonly string[];
  /** Unit of a row's concurrency: clients or sequences. */
  readonly concurrencyLabel: string;
  readonly rows: readonly SummaryRow[];
  readonly plots: readonly CurvePlot[];
  readonly machine: Machine;
  /** ISO 8601. */
  readonly date: string;
  /** Undefined in results written before origins were recorded. */
  readonly origin: Origin | undefined;
  readonly effort: Effort;
  /** Servers in the order of the sides; empty in results written before they were recorded. */
  readonly servers: readonly SideResult[];
  readonly notes: readonly string[];
}
