import { expect, it, test } from "vitest";
import { computeMetrics, metric } from "../../src/live-metrics/live-metrics.js";
import { parsePrometheusText } from "../../src/live-metrics/prometheus-text.js";
import { engineStatistics } from "../support/engine-statistics.js";
import { replicaStates } from "../support/replica-states.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { ALIAS, buildTestApp } from "../support/test-app.js";

/** Only the process itself has them. */
const OF_THE_PROCESS: readonly string[] = [metric.residentMemory, metric.startTime];

const engine = Object.assign(new ScriptedEngine(() => ({ parts: ["a"] })), {
  statistics: engineStatistics,
  replicas: replicaStates,
});

async function scrape() {
  const { app } = buildTestApp(engine);
  await app.inject("/v1/models");
  const { body } = await app.inject("/metrics");
  return { atMs: Date.now(), samples: parsePrometheusText(body) };
}

test.each(Object.values(metric).filter((name) => !OF_THE_PROCESS.includes(name)))(
  "the server exports the metric %s",
  async (name) => {
    const names = (await scrape()).samples.map((sample) => sample.name.replace(/_bucket$/, ""));
    expect(names).toContain(name);
  },
);

it("reads the server's metrics of a model", async () => {
  const { models, state, version } = computeMetrics(await scrape(), await scrape());
  expect({ state, version }).toEqual({ state: "ready", version: "0.0.0" });
  expect(models).toMatchObject([
    { model: ALIAS, state: "ready", running: 0, slots: 2, waiting: 0 },
  ]);
  expect(models[0]?.replicas).toMatchObject([
    { replica: "0", state: "ready", running: 3, slots: 4, kvCacheUse: 0.25 },
    { replica: "1", state: "not ready", running: 0, slots: 4, kvCacheUse: undefined },
  ]);
});
