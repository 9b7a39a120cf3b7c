import type { ResultFile } from "../summary/result-file.js";
import { resultName } from "../summary/result-name.js";
import { describeSettings, notesOf } from "../summary/result-table.js";
import { summarise } from "../summary/summarise.js";
import { curvePlots } from "./curve-plot.js";
import type { Section } from "./section.js";

/** Builds one section per scenario of a result file. */
export function scenarioSections({ date, machine, origin, results }: ResultFile): Section[] {
  return results.map((result) => ({
    name: resultName(result),
    title: `${result.scenario} (${result.settings.model})`,
    description: result.description,
    settings: describeSettings(result),
    sides: result.sides.map(({ label }) => label),
    concurrencyLabel: "clients",
    rows: summarise(result),
    plots: curvePlots(result),
    machine,
    date,
    origin,
    effort: result.settings.effort,
    servers: result.sides,
    notes: notesOf(result),
  }));
}
