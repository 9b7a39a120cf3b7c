import { InputError } from "../../models/command-line/input-error.js";

/**
 * Sums a metric over all its series.
 * @param page in Prometheus's text format
 * @returns NaN if the page lacks the metric
 */
export function metricOn(page: string, name: string): number {
  const values = page
    .split("\n")
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
  return values.length === 0 ? Number.NaN : values.reduce((total, value) => total + value, 0);
}

/** Number of answers that ggufd computes or queues, from its own metrics. */
export async function openAnswers(baseUrl: string, signal: AbortSignal): Promise<number> {
  const response = await fetch(new URL("/metrics", baseUrl), { signal });
  const page = await response.text();
  const open =
    metricOn(page, "ggufd:num_requests_running") + metricOn(page, "ggufd:num_requests_waiting");
  if (Number.isFinite(open)) return open;
  throw new InputError(
    `/metrics: expected ggufd:num_requests_running and ggufd:num_requests_waiting, got HTTP ${response.status}: ${page.slice(0, 80)}`,
  );
}
