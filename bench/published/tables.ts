import { formatRatio, formatShare, formatValue, measureName } from "../summary/format.js";
import { type DecidingRow, decidingRowsOf, missingResults } from "./deciding-rows.js";
import type { PublishedResult, PublishedRow } from "./published-result.js";

/** Smaller differences are the machine's noise (docs/performance.md, method). */
const NOISE = 0.03;
/** Number of rows in the README where ggufd is behind: the worst ones. */
const MOST_BEHIND = 6;
/** Number of rows in the README where ggufd is ahead: the best ones of different scenarios. */
const MOST_AHEAD = 4;

/** Generates the tables of the documentation, by the names of their markers. */
export function publishedTables(
  results: ReadonlyMap<string, PublishedResult>,
): ReadonlyMap<string, string> {
  const rows = decidingRowsOf(results);
  return new Map([
    ["comparison", comparisonOf(rows)],
    ["deciding", withNotice(rows, [...decidingTable(rows), ...missingNote(results)])],
    ["behind", behindList(rows)],
    ["origins", originTable([...results.values()])],
  ]);
}

/**
 * README's comparison table: the best rows of some scenarios and the worst rows of all, selected by
 * the values alone.
 */
function comparisonOf(rows: readonly DecidingRow[]): string {
  const compared = rows.filter(({ peer }) => peer === "llama-server");
  if (compared.length === 0) return "No results have been published yet.";
  const behind = behindOf(compared);
  const shown = [...bestOfScenarios(compared), ...behind.slice(0, MOST_BEHIND)];
  const machines = distinct(compared.map(({ result }) => machineOf(result)));
  return withNotice(compared, [
    `Measured against llama-server, built from the same llama.cpp commit with the same CPU kernels, in alternating runs without a GPU. Machines: ${machines.join("; ")}.`,
    "",
    ...table(
      ["Traffic", "Measure", "ggufd", "llama-server"],
      ["---", "---", "---:", "---:"],
      shown.map((row) => {
        const [ours = "–", other = "–"] = valuesOf(row);
        const isAhead = row.advantage > 1;
        return [
          trafficOf(row),
          nameOf(row),
          isAhead ? `**${ours}**` : ours,
          isAhead ? other : `**${other}**`,
        ];
      }),
    ),
    "",
    `llama-server is ahead by more than ${formatShare(NOISE)} in ${behind.length} of ${compared.length} results; the table has the ${Math.min(MOST_BEHIND, behind.length)} worst.`,
  ]);
}

/** Selects each scenario's best row in which ggufd is ahead, the largest advantage first. */
function bestOfScenarios(rows: readonly DecidingRow[]): readonly DecidingRow[] {
  const best = new Map<string, DecidingRow>();
  for (const row of rows) {
    const { name } = row.result;
    const known = best.get(name);
    if (row.advantage > 1 + NOISE && row.advantage > (known?.advantage ?? 0)) best.set(name, row);
  }
  return [...best.values()].toSorted((a, b) => b.advantage - a.advantage).slice(0, MOST_AHEAD);
}

/** Selects the rows in which the compared program is ahead, the worst first. */
function behindOf(rows: readonly DecidingRow[]): readonly DecidingRow[] {
  return rows
    .filter(({ advantage }) => advantage < 1 - NOISE)
    .toSorted((a, b) => a.advantage - b.advantage);
}

function behindList(rows: readonly DecidingRow[]): string {
  const behind = behindOf(rows);
  if (behind.length === 0) return "None.";
  return behind
    .map((row) => {
      const [ours, other] = valuesOf(row);
      return `- ${trafficOf(row)}, ${measureName(row.measure)}: ${ours}, ${row.peer} ${other} (${formatRatio(row.ratio)}).`;
    })
    .join("\n");
}

function decidingTable(rows: readonly DecidingRow[]): readonly string[] {
  return table(
    [
      "scenario",
      "clients",
      "measure",
      "ggufd",
      "spread",
      "compared with",
      "",
      "spread",
      "ratio",
      "target",
      "",
    ],
    ["---", "---:", "---", "---:", "---:", "---", "---:", "---:", "---:", "---:", "---"],
    rows.map(({ result, clients, measure, sides: [ours, other], peer, ratio, target }) => [
      result.title,
      String(clients),
      nameOf({ measure }),
      formatValue(ours?.median ?? Number.NaN),
      formatShare(ours?.spread ?? Number.NaN),
      peer ?? "",
      other === undefined ? "" : formatValue(other.median),
      other === undefined ? "" : formatShare(other.spread),
      other === undefined ? "" : formatRatio(ratio),
      target?.text ?? "",
      target?.verdict ?? "",
    ]),
  );
}

function originTable(results: readonly PublishedResult[]): string {
  const machines = distinct(results.map(machineOf));
  const kernels = distinct(
    results
      .flatMap(({ servers }) => servers.flatMap((server) => server.kernels ?? []))
      .map(({ file, sha256 }) => `\`${file}\` (SHA-256 ${sha256.slice(0, 12)}…)`),
  );
  return [
    `- Machine: ${machines.join("; ")}.`,
    `- CPU kernels of all sides that compute: ${kernels.join("; ")}.`,
    "",
    ...table(
      ["result", "settings", "measured", "commit", "compared with", "command"],
      ["---", "---", "---", "---", "---", "---"],
      results.map((result) => [
        `[${result.title}](../bench/results/published/${result.name}.json)`,
        result.settings,
        `${result.date.slice(0, 10)}${result.standing === "smoke" ? ", smoke test" : ""}`,
        `\`${result.origin.commit.slice(0, 7)}\``,
        result.servers
          .slice(1)
          .map(({ label, version }) => `${label} ${version}`)
          .join(", "),
        `\`${result.origin.command}\``,
      ]),
    ),
  ].join("\n");
}

/** Prepends a notice if some values come from smoke tests. */
function withNotice(rows: readonly DecidingRow[], lines: readonly string[]): string {
  const smoke = distinct(
    rows.filter(({ result }) => result.standing === "smoke").map(({ result }) => result.title),
  );
  if (smoke.length === 0) return lines.join("\n");
  const notice = `**Smoke tests, not measurements**, with short runs on a busy machine, until they are measured: ${smoke.join(", ")}.`;
  return [notice, "", ...lines].join("\n");
}

/** Lists the selected results that have not been measured yet. */
function missingNote(results: ReadonlyMap<string, PublishedResult>): readonly string[] {
  const missing = missingResults(results);
  return missing.length === 0 ? [] : ["", `Not measured yet: ${missing.join(", ")}.`];
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function table(
  headings: readonly string[],
  rule: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  return [headings, rule, ...rows].map((cells) => `| ${cells.map(escaped).join(" | ")} |`);
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|");
}

function trafficOf({ clients, traffic, result }: DecidingRow): string {
  const unit = clients === 1 ? result.concurrencyLabel.replace(/s$/, "") : result.concurrencyLabel;
  return `${clients.toLocaleString("en")} ${unit}: ${traffic}`;
}

function nameOf({ measure }: Pick<PublishedRow, "measure">): string {
  const name = measureName(measure);
  return measure.unit === "" ? name : `${name}, ${measure.unit}`;
}

function valuesOf({ sides }: PublishedRow): readonly string[] {
  return sides.map(({ median }) => formatValue(median));
}

function machineOf(result: PublishedResult | undefined): string {
  if (result === undefined) return "";
  const { cpu, cores, memoryGiB, node } = result.machine;
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, Node.js ${node}`;
}
