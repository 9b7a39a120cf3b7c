import { useEffect, useState } from "preact/hooks";
import type { ModelFigures } from "../../figures/figures.js";
import { Notice } from "../parts/notice.js";
import { followFigures, metricsError, pastFigures, slotsByModel } from "./live-figures.js";
import { ModelCharts } from "./model-charts.js";
import { ModelTable } from "./model-table.js";
import { ServerSummary } from "./server-summary.js";

/** Whether a model is loaded; other models have no charts. */
function isInMemory({ slots }: ModelFigures): boolean {
  return slots !== undefined;
}

/** Live metrics of the server, like `ggufd top`. */
export function FiguresView() {
  const [isPaused, setPaused] = useState(false);
  useEffect(() => (isPaused ? undefined : followFigures()), [isPaused]);
  const history = pastFigures.value;
  const newest = history.at(-1);
  return (
    <>
      <div class="heading">
        <h1>Live metrics</h1>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
      </div>
      {metricsError.value !== undefined && !isPaused && (
        <Notice message={`${metricsError.value} Retrying every two seconds.`} />
      )}
      {newest === undefined ? (
        <p class="hint">Loading metrics…</p>
      ) : (
        <>
          <ServerSummary figures={newest.figures} />
          {newest.figures.models.length === 0 ? (
            <p class="hint">No model is loaded.</p>
          ) : (
            <>
              <ModelTable models={newest.figures.models} />
              <p class="hint">
                TTFT: time to first token. ITL: inter-token latency. –: no data. Rates and times
                cover the last two seconds.
              </p>
            </>
          )}
          {newest.figures.models.filter(isInMemory).map((figures) => (
            <ModelCharts
              key={figures.model}
              figures={figures}
              slots={slotsByModel.value[figures.model]}
              history={history}
              nowMs={newest.atMs}
            />
          ))}
        </>
      )}
    </>
  );
}
