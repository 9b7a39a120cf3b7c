import { useEffect, useRef, useState } from "preact/hooks";
import type { ModelMetrics } from "../../live-metrics/live-metrics.js";
import { Notice } from "../parts/notice.js";
import { followMetrics, metricsError, metricsHistory, timelineByModel } from "./follow-metrics.js";
import { FullScreenButton } from "./full-screen-button.js";
import { LoadSummary } from "./load-summary.js";
import { ModelCharts } from "./model-charts.js";
import { ModelTable } from "./model-table.js";
import { ServerSummary } from "./server-summary.js";

/** Whether a model is loaded; other models have no charts. */
function isInMemory({ slots }: ModelMetrics): boolean {
  return slots !== undefined;
}

/** Live metrics of the server, like `ggufd top`. */
export function MetricsView() {
  const [isPaused, setPaused] = useState(false);
  const view = useRef<HTMLDivElement>(null);
  useEffect(() => (isPaused ? undefined : followMetrics()), [isPaused]);
  const history = metricsHistory.value;
  const newest = history.at(-1);
  return (
    <div ref={view} class="live-view">
      <div class="heading">
        <h1>Live metrics</h1>
        <div class="actions">
          <FullScreenButton target={view} />
          <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            Pause
          </button>
        </div>
      </div>
      {metricsError.value !== undefined && !isPaused && (
        <Notice message={`${metricsError.value} Retrying every two seconds.`} />
      )}
      {newest === undefined ? (
        <p class="hint">Loading metrics…</p>
      ) : (
        <>
          <LoadSummary models={newest.metrics.models} />
          {newest.metrics.models.filter(isInMemory).map((metrics) => (
            <ModelCharts
              key={metrics.model}
              metrics={metrics}
              timeline={timelineByModel.value[metrics.model]}
              history={history}
              nowMs={newest.atMs}
            />
          ))}
          <div class="details">
            <ServerSummary metrics={newest.metrics} />
            {newest.metrics.models.length === 0 ? (
              <p class="hint">No model is loaded.</p>
            ) : (
              <>
                <ModelTable models={newest.metrics.models} />
                <p class="hint">
                  TTFT: time to first token. ITL: inter-token latency. –: no data. Rates and times
                  cover the last two seconds. Bars show requests that ran for a second or longer.
                </p>
              </>
            )}
          </div>
        </>
      )}
    </div>
  );
}
