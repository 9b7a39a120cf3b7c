import { expect, it } from "vitest";
import { computeMetrics } from "../../../src/live-metrics/live-metrics.js";
import { parsePrometheusText } from "../../../src/live-metrics/prometheus-text.js";
import { appendReading, HISTORY_MS, selectSeries } from "../../../src/page/metrics/history.js";

const past = (atMs: number, text: string) => ({
  atMs,
  metrics: computeMetrics(undefined, { atMs, samples: parsePrometheusText(text) }),
});
const waiting = (model: string, amount: number) =>
  `ggufd:num_requests_waiting{model_name="${model}"} ${amount}`;

it("the metrics history covers two minutes", () => {
  const history = [past(0, ""), past(1000, "")];
  expect(appendReading(history, past(HISTORY_MS + 1, "")).map(({ atMs }) => atMs)).toEqual([
    1000,
    HISTORY_MS + 1,
  ]);
});

it("the metrics history has a gap where a metric was missing", () => {
  const history = [past(0, waiting("a", 3)), past(2, ""), past(4, waiting("a", 5))];
  expect(selectSeries(history, "a", (model) => model.waiting)).toEqual([
    { atMs: 0, value: 3 },
    { atMs: 2, value: undefined },
    { atMs: 4, value: 5 },
  ]);
});
