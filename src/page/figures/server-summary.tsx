import type { ServerFigures } from "../../figures/figures.js";
import { bytes, rate, uptime } from "../../figures/units.js";

/** Metrics of the whole server. */
export function ServerSummary({ figures }: { readonly figures: ServerFigures }) {
  const { version, state, uptimeSeconds, errors } = figures;
  const entries: readonly (readonly [term: string, text: string])[] = [
    ["State", state ?? "–"],
    ["Uptime", uptimeSeconds === undefined ? "–" : uptime(uptimeSeconds)],
    ["Requests", `${rate(figures.requestsPerSecond)}/s`],
    [
      "Errors",
      errors.length === 0
        ? "none"
        : errors.map(({ code, perSecond }) => `${code} ${rate(perSecond)}/s`).join(", "),
    ],
    ["Daemon memory", bytes(figures.residentBytes)],
    ["Engine memory", bytes(figures.engineBytes)],
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
