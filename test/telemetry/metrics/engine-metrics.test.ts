import { describe, expect, test } from "vitest";
import type { EngineStatistics } from "../../../src/core/engine-statistics.js";
import type { Readiness } from "../../../src/core/model-directory.js";
import type { PooledModel } from "../../../src/models/pool/pooled-model.js";
import { Metrics } from "../../../src/telemetry/metrics/metrics.js";
import { engineStatistics } from "../../support/engine-statistics.js";
import { loadedModel, loadingModel } from "../../support/pooled-models.js";
import { replicaStates } from "../../support/replica-states.js";
import { scrape } from "../../support/scraped-metrics.js";
import { servedModel } from "../../support/served-model.js";

const loadedMini = (statistics?: EngineStatistics) =>
  loadedModel({ ...servedModel("mini"), statistics });

function metricsOf(models: readonly PooledModel[], readiness: Readiness = { state: "ready" }) {
  return new Metrics({ models: () => models, server: { readiness }, version: "1.2.3" });
}

describe("the metrics of an engine", () => {
  test("equal the engine's counters", async () => {
    const scraped = await scrape(metricsOf([loadedMini(engineStatistics)]));
    const isOwn = (name: string) => name.startsWith("ggufd:");
    const values = Object.entries(scraped).filter(([name, value]) => value !== 0 && isOwn(name));
    expect(Object.fromEntries(values)).toEqual({
      "ggufd:engine_prefill_tokens_total{model_name=mini}": 1001,
      "ggufd:engine_decode_tokens_total{model_name=mini}": 1002,
      "ggufd:num_preemptions_total{model_name=mini}": 7,
      "ggufd:prefix_cache_queries_total{model_name=mini}": 2000,
      "ggufd:prefix_cache_hits_total{model_name=mini,tier=kv}": 901,
      "ggufd:prefix_cache_hits_total{model_name=mini,tier=ram}": 62,
      "ggufd:prefix_cache_hits_total{model_name=mini,tier=disk}": 33,
      "ggufd:prefix_cache_evictions_total{model_name=mini,tier=kv}": 11,
      "ggufd:prefix_cache_evictions_total{model_name=mini,tier=ram}": 12,
      "ggufd:prefix_cache_evictions_total{model_name=mini,tier=disk}": 13,
      "ggufd:prefix_cache_stored_bytes{model_name=mini,tier=ram}": 5000,
      "ggufd:prefix_cache_stored_bytes{model_name=mini,tier=disk}": 6000,
      "ggufd:spec_decode_num_draft_tokens_total{model_name=mini,source=prediction}": 21,
      "ggufd:spec_decode_num_draft_tokens_total{model_name=mini,source=lookup}": 31,
      "ggufd:spec_decode_num_draft_tokens_total{model_name=mini,source=model}": 41,
      "ggufd:spec_decode_num_accepted_tokens_total{model_name=mini,source=prediction}": 20,
      "ggufd:spec_decode_num_accepted_tokens_total{model_name=mini,source=lookup}": 30,
      "ggufd:spec_decode_num_accepted_tokens_total{model_name=mini,source=model}": 40,
      "ggufd:kv_cache_usage_perc{model_name=mini}": 0.25,
      "ggufd:kv_cache_cells{model_name=mini,state=busy}": 250,
      "ggufd:kv_cache_cells{model_name=mini,state=cached}": 500,
      "ggufd:kv_cache_cells{model_name=mini,state=free}": 250,
      "ggufd:engine_resident_memory_bytes{model_name=mini}": 123_456_789,
      "ggufd:step_duration_seconds_bucket{le=0.01,model_name=mini}": 5,
      "ggufd:step_duration_seconds_bucket{le=0.1,model_name=mini}": 7,
      "ggufd:step_duration_seconds_bucket{le=+Inf,model_name=mini}": 8,
      "ggufd:step_duration_seconds_sum{model_name=mini}": 1.5,
      "ggufd:step_duration_seconds_count{model_name=mini}": 8,
      "ggufd:step_generations_bucket{le=1,model_name=mini}": 3,
      "ggufd:step_generations_bucket{le=2,model_name=mini}": 7,
      "ggufd:step_generations_bucket{le=+Inf,model_name=mini}": 9,
      "ggufd:step_generations_sum{model_name=mini}": 20,
      "ggufd:step_generations_count{model_name=mini}": 9,
      "ggufd:iteration_tokens_total_bucket{le=1,model_name=mini}": 3,
      "ggufd:iteration_tokens_total_bucket{le=2,model_name=mini}": 7,
      "ggufd:iteration_tokens_total_bucket{le=+Inf,model_name=mini}": 9,
      "ggufd:iteration_tokens_total_sum{model_name=mini}": 20,
      "ggufd:iteration_tokens_total_count{model_name=mini}": 9,
      "ggufd:model_ready{model_name=mini}": 1,
      "ggufd:num_slots{model_name=mini}": 1,
      "ggufd:model_info{architecture=llama,kind=generation,model_name=mini,quantization=}": 1,
      "ggufd:ready": 1,
      "ggufd:build_info{version=1.2.3}": 1,
    });
  });

  test("are read at each scrape without adding up", async () => {
    const metrics = metricsOf([loadedMini(engineStatistics)]);
    await scrape(metrics);
    const again = await scrape(metrics);
    expect(again["ggufd:prefix_cache_queries_total{model_name=mini}"]).toBe(2000);
  });

  test("are absent while the process restarts, but the crash is counted", async () => {
    const model = loadedMini(engineStatistics);
    const metrics = metricsOf([model], { state: "restarting" });
    model.createListener(() => {}).onCrash();
    const lost = await scrape(metrics);
    expect(lost).toMatchObject({
      "ggufd:ready": 0,
      "ggufd:model_ready{model_name=mini}": 0,
      "ggufd:engine_restarts_total{model_name=mini}": 1,
    });
    expect(lost).not.toHaveProperty(["ggufd:kv_cache_usage_perc{model_name=mini}"]);
    model.createListener(() => {}).onRestored();
    expect(await scrape(metrics)).toMatchObject({
      "ggufd:model_ready{model_name=mini}": 1,
      "ggufd:engine_restarts_total{model_name=mini}": 1,
      "ggufd:kv_cache_usage_perc{model_name=mini}": 0.25,
    });
  });

  test("are absent before the engine's first report", async () => {
    const scraped = await scrape(metricsOf([loadedMini()]));
    expect(
      Object.keys(scraped).filter((name) => name.startsWith("ggufd:") && name.includes("cache")),
    ).toEqual([]);
  });
});

describe("the metrics of replicas", () => {
  const replicated = loadedModel({
    ...servedModel("mini"),
    statistics: engineStatistics,
    replicas: replicaStates,
  });

  test("are series with other names, so that those of the model stay sums", async () => {
    const scraped = await scrape(metricsOf([replicated]));
    const values = Object.entries(scraped).filter(([name]) => name.includes("replica"));
    expect(Object.fromEntries(values)).toEqual({
      "ggufd:replica_ready{model_name=mini,replica=0}": 1,
      "ggufd:replica_ready{model_name=mini,replica=1}": 0,
      "ggufd:replica_num_slots{model_name=mini,replica=0}": 4,
      "ggufd:replica_num_slots{model_name=mini,replica=1}": 4,
      "ggufd:replica_num_requests{model_name=mini,replica=0}": 3,
      "ggufd:replica_num_requests{model_name=mini,replica=1}": 0,
      "ggufd:replica_engine_prefill_tokens_total{model_name=mini,replica=0}": 1001,
      "ggufd:replica_engine_decode_tokens_total{model_name=mini,replica=0}": 1002,
      "ggufd:replica_prefix_cache_queries_total{model_name=mini,replica=0}": 2000,
      "ggufd:replica_prefix_cache_hits_total{model_name=mini,replica=0,tier=kv}": 901,
      "ggufd:replica_prefix_cache_hits_total{model_name=mini,replica=0,tier=ram}": 62,
      "ggufd:replica_prefix_cache_hits_total{model_name=mini,replica=0,tier=disk}": 33,
      "ggufd:replica_spec_decode_num_accepted_tokens_total{model_name=mini,replica=0,source=prediction}": 20,
      "ggufd:replica_spec_decode_num_accepted_tokens_total{model_name=mini,replica=0,source=lookup}": 30,
      "ggufd:replica_spec_decode_num_accepted_tokens_total{model_name=mini,replica=0,source=model}": 40,
      "ggufd:replica_kv_cache_usage_perc{model_name=mini,replica=0}": 0.25,
      "ggufd:replica_engine_resident_memory_bytes{model_name=mini,replica=0}": 123_456_789,
    });
    expect(scraped["ggufd:prefix_cache_queries_total{model_name=mini}"]).toBe(2000);
  });

  test("are absent for a model with one engine", async () => {
    const scraped = await scrape(metricsOf([loadedMini(engineStatistics)]));
    expect(Object.keys(scraped).filter((name) => name.includes("replica"))).toEqual([]);
  });
});

describe("the metrics of a loading model", () => {
  test("have zero counters and a state other than ready", async () => {
    const metrics = metricsOf([loadingModel("mini")], { state: "loading", progress: 0.5 });
    const scraped = await scrape(metrics);
    expect(scraped).toMatchObject({
      "ggufd:ready": 0,
      "ggufd:draining": 0,
      "ggufd:model_ready{model_name=mini}": 0,
      "ggufd:model_loading{model_name=mini}": 1,
      "ggufd:generation_tokens_total{model_name=mini}": 0,
      "ggufd:time_to_first_token_seconds_count{model_name=mini}": 0,
      "ggufd:request_success_total{finished_reason=error,model_name=mini}": 0,
    });
    expect(Object.keys(scraped).filter((name) => name.includes("model_info"))).toEqual([]);
  });
});

test("a server that is shutting down has a metric for it", async () => {
  const scraped = await scrape(metricsOf([loadedMini()], { state: "draining" }));
  expect([scraped["ggufd:draining"], scraped["ggufd:ready"]]).toEqual([1, 0]);
});
