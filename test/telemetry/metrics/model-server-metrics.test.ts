import { describe, expect, test } from "vitest";
import { parsePrometheusText } from "../../../src/live-metrics/prometheus-text.js";
import { Metrics } from "../../../src/telemetry/metrics/metrics.js";
import { engineStatistics } from "../../support/engine-statistics.js";
import { loadedModel } from "../../support/pooled-models.js";
import { scrape } from "../../support/scraped-metrics.js";
import { servedModel } from "../../support/served-model.js";
import { chatRequest, event, finished, running, waiting } from "../request-stages.js";

/**
 * Metrics of the model server protocol, under vLLM's names, with their labels: the Gateway API
 * inference extension's docs/proposals/003-model-server-protocol, and the plugin metric protocol of
 * llm-d's picker, which continues it. `TotalKVCacheTokens` and `KVCacheOffloadDetection` have no
 * name for vLLM.
 */
const PROTOCOL = {
  TotalQueuedRequests: ["vllm:num_requests_waiting", []],
  TotalRunningRequests: ["vllm:num_requests_running", []],
  KVCacheUtilization: ["vllm:kv_cache_usage_perc", []],
  BlockSize: ["vllm:cache_config_info", ["block_size"]],
  NumGPUBlocks: ["vllm:cache_config_info", ["num_gpu_blocks"]],
  LoraRequestInfo: [
    "vllm:lora_requests_info",
    ["max_lora", "running_lora_adapters", "waiting_lora_adapters"],
  ],
} as const;

const cells = (busy: number, total: number) => ({
  ...engineStatistics,
  cells: { busy, cached: 0, total },
});

function metricsOf(...caches: readonly ReturnType<typeof cells>[]): Metrics {
  const models = caches.map((statistics, index) =>
    loadedModel({ ...servedModel(`model-${index}`), statistics }),
  );
  return new Metrics({
    models: () => models,
    server: { readiness: { state: "ready" } },
    version: "1.2.3",
  });
}

/** Samples of the protocol, and the types of their metrics. */
async function read(metrics: Metrics) {
  const { text } = await metrics.readWithoutKeys();
  const samples = parsePrometheusText(text).filter(({ name }) => name.startsWith("vllm:"));
  const types = [...text.matchAll(/^# TYPE (vllm:\S+) (\w+)$/gm)];
  return { samples, types: Object.fromEntries(types.map(([, name, type]) => [name, type])) };
}

/** The protocol's LoRA labels in a scrape. */
async function readAdapters(metrics: Metrics) {
  const { samples } = await read(metrics);
  return samples.find(({ name }) => name === "vllm:lora_requests_info")?.labels;
}

describe("the metrics of the model server protocol", () => {
  test.each(Object.entries(PROTOCOL))("include %s, as one gauge", async (_, [name, labels]) => {
    const { samples, types } = await read(metricsOf(cells(1, 32), cells(2, 64)));
    expect(types[name]).toBe("gauge");
    const series = samples.filter((sample) => sample.name === name);
    // A picker reads the first series of a metric.
    expect(series).toHaveLength(1);
    expect(Object.keys(series[0]?.labels ?? {})).toEqual(expect.arrayContaining([...labels]));
  });

  test("include nothing else under vLLM's names", async () => {
    const { types } = await read(metricsOf(cells(1, 32)));
    const names = Object.values(PROTOCOL).map(([name]) => name);
    expect(Object.keys(types).toSorted()).toEqual([...new Set(names)].toSorted());
  });

  test.each([
    [[cells(8, 32)], 0.25, "2"],
    [[cells(8, 32), cells(40, 64)], 0.5, "6"],
    [[cells(0, 40)], 0, "2"],
    [[], 0, "0"],
  ])("describe the KV caches of all models: %#", async (caches, usage, blocks) => {
    const { samples } = await read(metricsOf(...caches));
    expect(samples).toContainEqual({ name: "vllm:kv_cache_usage_perc", labels: {}, value: usage });
    expect(samples).toContainEqual({
      name: "vllm:cache_config_info",
      labels: { block_size: "16", num_gpu_blocks: blocks },
      value: 1,
    });
  });

  test("count the waiting and the running answers of all models", async () => {
    const metrics = metricsOf(cells(0, 32), cells(0, 32));
    const request = metrics.observer.begin(chatRequest);
    request.observe(0, { ...waiting(), model: "model-0" });
    request.observe(1, { ...waiting(), model: "model-1" });
    request.observe(2, { ...waiting(), model: "model-1" });
    request.observe(2, running);
    expect(await scrape(metrics)).toMatchObject({
      "vllm:num_requests_waiting": 2,
      "vllm:num_requests_running": 1,
    });
  });

  test("name the adapters of waiting and running answers until the last one has ended", async () => {
    const metrics = metricsOf(cells(0, 32));
    const adapters = (waiting: string, running: string) => ({
      max_lora: "1",
      waiting_lora_adapters: waiting,
      running_lora_adapters: running,
    });
    expect(await readAdapters(metrics)).toEqual(adapters("", ""));
    const request = metrics.observer.begin(chatRequest);
    request.observe(0, waiting({ adapters: ["poet"] }));
    request.observe(1, waiting({ adapters: ["poet", "brief"] }));
    request.observe(2, waiting());
    expect(await readAdapters(metrics)).toEqual(adapters("brief,poet", ""));
    request.observe(1, running);
    request.observe(2, running);
    expect(await readAdapters(metrics)).toEqual(adapters("poet", "brief,poet"));
    request.observe(0, event({ type: "cancelled" }));
    expect(await readAdapters(metrics)).toEqual(adapters("", "brief,poet"));
    request.observe(1, finished("stop"));
    request.observe(1, finished("stop"));
    expect(await readAdapters(metrics)).toEqual(adapters("", ""));
  });

  test("date the adapters with the time of the scrape", async () => {
    const before = Date.now() / 1000;
    const { samples } = await read(metricsOf(cells(0, 32)));
    const seconds = samples.find(({ name }) => name === "vllm:lora_requests_info")?.value;
    expect(seconds).toBeGreaterThanOrEqual(before);
    expect(seconds).toBeLessThanOrEqual(Date.now() / 1000);
  });
});
