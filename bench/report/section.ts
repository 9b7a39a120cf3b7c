import type { Machine } from "../machine.js";
import type { SummaryRow } from "../summary/summarise.js";

/** What a report says about one scenario. */
export interface Section {
  /** For files: no spaces. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly settings: string;
  /** Ours first. */
  readonly sides: readonly string[];
  /** What the rows are counted in: clients, or sequences. */
  readonly counted: string;
  readonly rows: readonly SummaryRow[];
  readonly machine: Machine;
  /** ISO 8601. */
  readonly date: string;
  /** How the servers were started. */
  readonly commands: readonly string[];
  readonly notes: readonly string[];
}
