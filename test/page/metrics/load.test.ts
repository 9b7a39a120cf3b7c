import { expect, it } from "vitest";
import type { ModelMetrics } from "../../../src/live-metrics/live-metrics.js";
import { computeLoad } from "../../../src/page/metrics/load.js";

const model = (values: Partial<ModelMetrics>): ModelMetrics => ({
  ...{ model: "m", state: "ready", running: undefined, slots: undefined, waiting: undefined },
  ...{ promptTokensPerSecond: undefined, generatedTokensPerSecond: undefined },
  ...{ timeToFirstToken: {}, interTokenLatency: {}, kvCacheUse: undefined },
  ...{ cacheHitRate: undefined, engineRestarts: undefined, engineBytes: undefined },
  replicas: [],
  ...values,
});

it("the load of a server sums its models, and weights cache hits by prompt tokens", () => {
  expect(
    computeLoad([
      model({ running: 1, slots: 2, waiting: 3, promptTokensPerSecond: 100, cacheHitRate: 0.9 }),
      model({ running: 2, slots: 4, promptTokensPerSecond: 300, cacheHitRate: 0.1 }),
      model({}),
    ]),
  ).toEqual({
    ...{ running: 3, slots: 6, waiting: 3, promptTokensPerSecond: 400 },
    ...{ generatedTokensPerSecond: undefined, cacheHitRate: expect.closeTo(0.3) },
  });
});

it("the load of a server without models is unknown", () => {
  expect(new Set(Object.values(computeLoad([])))).toEqual(new Set([undefined]));
});
