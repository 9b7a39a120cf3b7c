import { formatRatio, formatShare, formatValue, measureName } from "../summary/format.js";
import type { SideResult } from "../summary/result-file.js";
import type { SummaryRow } from "../summary/summarise.js";
import type { Section } from "./section.js";

/**
 * Formats a section for the documentation: chart, table and measurement settings.
 * @param chartPath path of the chart, relative to the document
 */
export function markdownOf(section: Section, chartPath: string): string {
  const { title, description, settings, machine, date, servers, notes } = section;
  const { cpu, cores, memoryGiB, node } = machine;
  const where = `${cpu}, ${cores} cores, ${memoryGiB} GiB, Node.js ${node}`;
  const commands = servers.filter(({ command }) => command.length > 0).map(describeCommand);
  return [
    `### ${title}`,
    `${capitalised(description)}. ${capitalised(settings)}; ${where}; ${dayOf(date)}.`,
    `![${title}: ${section.sides.join(" and ")}](${chartPath})`,
    tableOf(section),
    ...listOf([...commands, ...notes]),
  ].join("\n\n");
}

function tableOf({ concurrencyLabel, sides, rows }: Section): string {
  const headings = [concurrencyLabel, "measure", ...sides.flatMap((label) => [label, "spread"])];
  const columns = [...headings, "ratio", "target", ""];
  const rule = columns.map((_, index) => (index === 1 ? "---" : "---:"));
  return [columns, rule, ...rows.map(cellsOf)]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function cellsOf({ clients, measure, sides, ratio, target }: SummaryRow): string[] {
  const name = measureName(measure);
  const { unit } = measure;
  return [
    String(clients),
    unit === "" ? name : `${name}, ${unit}`,
    ...sides.flatMap(({ median, spread }) => [formatValue(median), formatShare(spread)]),
    formatRatio(ratio),
    ...(target === undefined ? ["", ""] : [target.text, target.verdict]),
  ];
}

function listOf(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [items.map((item) => `- ${item}`).join("\n")];
}

function dayOf(date: string): string {
  return date.replace(/T.*/, "");
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Describes a server's command line without the port, which differs in every run. */
function describeCommand({ label, version, command }: SideResult): string {
  return `${label} (${version}): \`${command.join(" ").replace(/ --port \d+/, "")}\``;
}
