import type { ServerMetrics } from "../../live-metrics/live-metrics.js";
import {
  formatBytes,
  formatCount,
  formatLines,
  formatRate,
  formatUptime,
} from "../../live-metrics/units.js";

/** Metrics of the whole server. */
export function ServerSummary({ metrics }: { readonly metrics: ServerMetrics }) {
  const { version, state, uptimeSeconds, errors, batches } = metrics;
  const entries: readonly (readonly [term: string, text: string])[] = [
    ["State", state ?? "–"],
    ["Uptime", uptimeSeconds === undefined ? "–" : formatUptime(uptimeSeconds)],
    ["Requests", `${formatRate(metrics.requestsPerSecond)}/s`],
    [
      "Errors",
      errors.length === 0
        ? "none"
        : errors.map(({ code, perSecond }) => `${code} ${formatRate(perSecond)}/s`).join(", "),
    ],
    ...(batches === undefined
      ? []
      : ([
          ["Batches", formatCount(batches.batches)],
          ["Lines of batches", formatLines(batches)],
        ] as const)),
    ["Daemon memory", formatBytes(metrics.residentBytes)],
    ["Engine memory", formatBytes(metrics.engineBytes)],
    ["Version", version ?? "–"],
  ];
  return (
    <dl class="summary">
      {entries.map(([term, text]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
