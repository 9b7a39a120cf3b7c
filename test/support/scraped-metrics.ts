import type { MetricsSource } from "../../src/api/metrics/routes.js";
import { parsePrometheusText } from "../../src/live-metrics/prometheus-text.js";

/** The values of a scrape, by name and labels in alphabetical order: `ggufd:errors_total{code=not_found}`. */
export type ScrapedMetrics = Readonly<Record<string, number>>;

export function metricsIn(text: string): ScrapedMetrics {
  return Object.fromEntries(
    parsePrometheusText(text).map(({ name, labels, value }) => {
      const written = Object.keys(labels)
        .toSorted()
        .map((label) => `${label}=${labels[label]}`);
      return [written.length === 0 ? name : `${name}{${written.join(",")}}`, value];
    }),
  );
}

export async function scrape(metrics: MetricsSource): Promise<ScrapedMetrics> {
  return metricsIn((await metrics.read()).text);
}

/** The names of all metrics that a scrape declares, with or without a value. */
export function metricNamesIn(text: string): readonly string[] {
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
}
