import type { Machine } from "../machine.js";
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
  /** The command lines of the servers. */
  readonly commands: readonly string[];
  readonly notes: readonly string[];
}
