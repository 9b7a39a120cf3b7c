/**
 * Draws docs/images/dashboard.svg from a Prometheus server's answers to the queries of deploy/grafana/ggufd.json.
 *
 *     npm start -- --parallel 8 --max-queue 8 &
 *     prometheus --config.file=deploy/prometheus/prometheus.yml --storage.tsdb.path=/tmp/prometheus &
 *     npx tsx docs/scripts/dashboard/demonstration-load.ts http://localhost:8080 5
 *     npx tsx docs/scripts/dashboard/record-dashboard.ts http://localhost:9090 5
 */
import { readFile, writeFile } from "node:fs/promises";
import { drawDashboard } from "./dashboard-picture.js";
import { type Dashboard, type PrometheusSeries, readPanels } from "./read-panels.js";

const dashboardUrl = new URL("../../../deploy/grafana/ggufd.json", import.meta.url);
const pictureUrl = new URL("../../images/dashboard.svg", import.meta.url);

/** Number of points per line. */
const POINTS = 120;

interface RangeAnswer {
  readonly data?: { readonly result: readonly PrometheusSeries[] };
  readonly error?: string;
}

const [prometheus = "http://localhost:9090", minutes = "10"] = process.argv.slice(2);
const end = Math.floor(Date.now() / 1000);
const start = end - 60 * Number(minutes);

async function queryRange(query: string): Promise<readonly PrometheusSeries[]> {
  const step = Math.max(1, Math.round((end - start) / POINTS));
  const parameters = new URLSearchParams({
    query,
    start: String(start),
    end: String(end),
    step: String(step),
  });
  const response = await fetch(`${prometheus}/api/v1/query_range?${parameters}`);
  const { data, error } = (await response.json()) as RangeAnswer;
  if (data === undefined) throw new Error(`${query}: ${error ?? response.status}`);
  return data.result;
}

const dashboard: Dashboard = JSON.parse(await readFile(dashboardUrl, "utf8"));
const panels = await readPanels(dashboard, queryRange);
const description = `The dashboard ${dashboard.title}: ${minutes} minutes of a server under load.`;
await writeFile(pictureUrl, drawDashboard(description, panels));
