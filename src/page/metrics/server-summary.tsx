import type { ServerMetrics } from "../../live-metrics/live-metrics.js";
import { bytes, rate, uptime } from "../../live-metrics/units.js";

/** Metrics of the whole server. */
export function ServerSummary({ metrics }: { readonly metrics: ServerMetrics }) {
  const { version, state, uptimeSeconds, errors } = metrics;
  const entries: readonly (readonly [term: string, text: string])[] = [
    ["State", state ?? "–"],
    ["Uptime", uptimeSeconds === undefined ? "–" : uptime(uptimeSeconds)],
    ["Requests", `${rate(metrics.requestsPerSecond)}/s`],
    [
      "Errors",
      errors.length === 0
        ? "none"
        : errors.map(({ code, perSecond }) => `${code} ${rate(perSecond)}/s`).join(", "),
    ],
    ["Daemon memory", bytes(metrics.residentBytes)],
    ["Engine memory", bytes(metrics.engineBytes)],
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
