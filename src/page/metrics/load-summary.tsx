import type { ModelMetrics } from "../../live-metrics/live-metrics.js";
import { formatCount, formatPercentage, formatRate } from "../../live-metrics/units.js";
import { computeLoad } from "./load.js";

/** Load of the server in large numbers, readable from a distance. */
export function LoadSummary({ models }: { readonly models: readonly ModelMetrics[] }) {
  const load = computeLoad(models);
  const entries: readonly (readonly [term: string, text: string, isHigh?: boolean])[] = [
    ["Slots in use", `${formatCount(load.running)} of ${formatCount(load.slots)}`],
    ["Queue", formatCount(load.waiting), (load.waiting ?? 0) > 0],
    ["Generated tokens/s", formatRate(load.generatedTokensPerSecond)],
    ["Prompt tokens/s", formatRate(load.promptTokensPerSecond)],
    ["Cache hits", formatPercentage(load.cacheHitRate)],
  ];
  return (
    <dl class="load-summary">
      {entries.map(([term, text, isHigh = false]) => (
        <div key={term} class={isHigh ? "high" : undefined}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
