import { describe, expect, it } from "vitest";
import { formatTable } from "../../../src/cli/top/table.js";
import { computeMetrics } from "../../../src/live-metrics/live-metrics.js";
import { parsePrometheusText } from "../../../src/live-metrics/prometheus-text.js";
import type { Scrape } from "../../../src/live-metrics/scrape.js";

const url = "http://127.0.0.1:8080";
const STARTED_AT_SECONDS = 1_790_000_000;

/** A reading taken at the given number of seconds after the server's start. */
function scrape(seconds: number, ...lines: string[]): Scrape {
  const all = [`process_start_time_seconds ${STARTED_AT_SECONDS}`, ...lines];
  return {
    atMs: (STARTED_AT_SECONDS + seconds) * 1000,
    samples: parsePrometheusText(all.join("\n")),
  };
}

function shown(earlier: Scrape | undefined, later: Scrape, columns = Infinity): string {
  const view = { type: "metrics", metrics: computeMetrics(earlier, later) } as const;
  return formatTable(view, { url, columns }).join("\n");
}

const mini = '{model_name="mini"}';

const before = scrape(
  7500,
  'ggufd:build_info{version="0.1.0"} 1',
  "ggufd:ready 1",
  "ggufd:draining 0",
  'ggufd:http_requests_total{method="POST",route="/v1/chat/completions",status="2xx"} 100',
  'ggufd:errors_total{code="server_overloaded"} 5',
  'ggufd:errors_total{code="not_found"} 7',
  "process_resident_memory_bytes 162000000",
  `ggufd:engine_resident_memory_bytes${mini} 1910000000`,
  `ggufd:model_ready${mini} 1`,
  `ggufd:engine_restarts_total${mini} 0`,
  `ggufd:num_requests_running${mini} 3`,
  `ggufd:num_requests_waiting${mini} 0`,
  `ggufd:num_slots${mini} 4`,
  `ggufd:prompt_tokens_total${mini} 1000`,
  `ggufd:generation_tokens_total${mini} 500`,
  'ggufd:time_to_first_token_seconds_bucket{model_name="mini",le="0.1"} 90',
  'ggufd:time_to_first_token_seconds_bucket{model_name="mini",le="0.2"} 100',
  'ggufd:time_to_first_token_seconds_bucket{model_name="mini",le="+Inf"} 100',
  `ggufd:kv_cache_usage_perc${mini} 0.2`,
  `ggufd:prefix_cache_queries_total${mini} 1000`,
  'ggufd:prefix_cache_hits_total{model_name="mini",tier="kv"} 400',
);
const after = scrape(
  7502,
  'ggufd:build_info{version="0.1.0"} 1',
  "ggufd:ready 1",
  "ggufd:draining 0",
  'ggufd:http_requests_total{method="POST",route="/v1/chat/completions",status="2xx"} 125',
  'ggufd:http_requests_total{method="GET",route="/health/ready",status="2xx"} 90',
  'ggufd:errors_total{code="server_overloaded"} 11',
  'ggufd:errors_total{code="not_found"} 7',
  'ggufd:errors_total{code="queue_timeout"} 1',
  "process_resident_memory_bytes 162000000",
  `ggufd:engine_resident_memory_bytes${mini} 1910000000`,
  `ggufd:model_ready${mini} 1`,
  `ggufd:engine_restarts_total${mini} 0`,
  `ggufd:num_requests_running${mini} 4`,
  `ggufd:num_requests_waiting${mini} 12`,
  `ggufd:num_slots${mini} 4`,
  `ggufd:prompt_tokens_total${mini} 3408`,
  `ggufd:generation_tokens_total${mini} 1120`,
  'ggufd:time_to_first_token_seconds_bucket{model_name="mini",le="0.1"} 90',
  'ggufd:time_to_first_token_seconds_bucket{model_name="mini",le="0.2"} 110',
  'ggufd:time_to_first_token_seconds_bucket{model_name="mini",le="+Inf"} 110',
  `ggufd:kv_cache_usage_perc${mini} 0.63`,
  `ggufd:prefix_cache_queries_total${mini} 3408`,
  'ggufd:prefix_cache_hits_total{model_name="mini",tier="kv"} 1600',
  'ggufd:prefix_cache_hits_total{model_name="mini",tier="ram"} 750',
);

describe("the table", () => {
  it("shows the metrics of the interval", () => {
    expect(shown(before, after)).toBe(
      [
        "ggufd 0.1.0 at http://127.0.0.1:8080: ready for 2 h 5 min",
        "requests 13/s  errors server_overloaded 3.0/s, queue_timeout 0.5/s  memory 162 MB, engines 1.9 GB",
        "",
        "MODEL  SLOTS  QUEUE   IN/s  OUT/s  TTFT p50     p95  ITL p50  p95    KV  HITS",
        "mini     4/4     12  1,204    310    150 ms  195 ms        –    –  63 %  81 %",
      ].join("\n"),
    );
  });

  it("shows batches, if the server has had any, and no model for lines without one", () => {
    const none = '{model_name="none"}';
    const lines = shown(
      undefined,
      scrape(
        1,
        'ggufd:num_batches{status="validating"} 1',
        'ggufd:num_batches{status="in_progress"} 2',
        `ggufd:num_batch_lines_running${mini} 16`,
        `ggufd:num_batch_lines_waiting${mini} 3980`,
        `ggufd:num_batch_lines_waiting${none} 4`,
        'ggufd:batch_lines_total{model_name="mini",result="succeeded"} 1004',
        'ggufd:batch_lines_total{model_name="mini",result="errored"} 2',
        'ggufd:batch_lines_total{model_name="mini",result="expired"} 1',
        'ggufd:batch_lines_total{model_name="mini",result="canceled"} 9',
        `ggufd:model_ready${mini} 1`,
      ),
    ).split("\n");
    expect(lines[2]).toBe("batches 3  lines 3,984 waiting, 16 running, 1,004 done, 3 failed");
    expect(lines.slice(5)).toHaveLength(1);
  });

  it("shows no rates for the first reading", () => {
    expect(shown(undefined, after).split("\n").slice(1)).toEqual([
      "requests –/s  errors none  memory 162 MB, engines 1.9 GB",
      "",
      "MODEL  SLOTS  QUEUE  IN/s  OUT/s  TTFT p50  p95  ITL p50  p95    KV  HITS",
      "mini     4/4     12     –      –         –    –        –    –  63 %     –",
    ]);
  });

  it("excludes health checks from the requests", () => {
    const probes = 'ggufd:http_requests_total{route="/health"} ';
    const lines = shown(scrape(1, `${probes}1`), scrape(2, `${probes}9`)).split("\n");
    expect(lines[1]).toMatch(/^requests 0\/s /);
  });

  it("counts from 0 after a server restart", () => {
    const restarted = scrape(
      1,
      "ggufd:ready 1",
      `ggufd:generation_tokens_total${mini} 20`,
      'ggufd:time_to_first_token_seconds_bucket{model_name="mini",le="0.1"} 1',
      'ggufd:time_to_first_token_seconds_bucket{model_name="mini",le="+Inf"} 1',
    );
    const { models } = computeMetrics(before, { ...restarted, atMs: before.atMs + 4000 });
    expect(models[0]).toMatchObject({
      generatedTokensPerSecond: 5,
      timeToFirstToken: { median: 0.05 },
    });
  });

  it("reports the problems of each model", () => {
    const other = '{model_name="minilm"}';
    const lines = shown(
      undefined,
      scrape(
        3,
        "ggufd:ready 0",
        `ggufd:model_ready${mini} 0`,
        `ggufd:model_ready${other} 1`,
        `ggufd:engine_restarts_total${mini} 1`,
        `ggufd:engine_restarts_total${other} 2`,
      ),
    ).split("\n");
    expect(lines[0]).toBe("ggufd at http://127.0.0.1:8080: not ready for 3 s");
    expect(lines.slice(4)).toEqual([
      "mini      –/–      –     –      –         –    –        –    –   –     –",
      "minilm    –/–      –     –      –         –    –        –    –   –     –",
      "",
      "mini is not ready",
      "mini: engine restarted once",
      "minilm: engine restarted 2 times",
    ]);
  });

  it("shows the replicas of a model below it", () => {
    const series = (replica: number, decoded: number, hits: number, ready = 1) => {
      const labels = `model_name="mini",replica="${replica}"`;
      return [
        `ggufd:replica_ready{${labels}} ${ready}`,
        `ggufd:replica_num_slots{${labels}} 4`,
        `ggufd:replica_num_requests{${labels}} ${3 + replica}`,
        `ggufd:replica_engine_decode_tokens_total{${labels}} ${decoded}`,
        `ggufd:replica_spec_decode_num_accepted_tokens_total{${labels},source="lookup"} ${decoded}`,
        `ggufd:replica_kv_cache_usage_perc{${labels}} 0.5`,
        `ggufd:replica_prefix_cache_queries_total{${labels}} ${2 * hits}`,
        `ggufd:replica_prefix_cache_hits_total{${labels},tier="kv"} ${hits}`,
      ];
    };
    const model = [`ggufd:model_ready${mini} 1`, `ggufd:num_requests_running${mini} 7`];
    const lines = shown(
      scrape(1, ...model, ...series(0, 0, 0), ...series(1, 0, 0)),
      scrape(2, ...model, ...series(0, 50, 100), ...series(1, 20, 10, 0)),
    ).split("\n");
    expect(lines.slice(3)).toEqual([
      "MODEL        SLOTS  QUEUE  IN/s  OUT/s  TTFT p50  p95  ITL p50  p95    KV  HITS",
      "mini           7/–      –     –      –         –    –        –    –     –     –",
      "  replica 0    3/4      –   200    100         –    –        –    –  50 %  50 %",
      "  replica 1    4/4      –    20     40         –    –        –    –  50 %  50 %",
      "",
      "mini: replica 1 is not ready",
    ]);
  });

  it("lists only models that are loaded or loading", () => {
    const state = (model: string, ready: number, loading: number) => [
      `ggufd:model_ready{model_name="${model}"} ${ready}`,
      `ggufd:model_loading{model_name="${model}"} ${loading}`,
    ];
    const models = [state("idle", 0, 0), state("ready", 1, 0), state("soon", 0, 1)];
    const lost = [...state("lost", 0, 0), 'ggufd:model_info{model_name="lost"} 1'];
    const lines = shown(undefined, scrape(3, ...models.flat(), ...lost)).split("\n");
    expect(lines.slice(4).map((line) => line.replace(/ {2}.*/, ""))).toEqual([
      ...["ready", "soon", "lost", ""],
      ...["soon is loading", "lost is not ready"],
    ]);
    const idle = scrape(3, ...state("idle", 0, 0));
    expect(shown(undefined, idle)).toMatch(/\n\nno model is loaded$/);
  });

  it("shows that the server is draining", () => {
    const draining = scrape(3, "ggufd:ready 0", "ggufd:draining 1");
    expect(shown(undefined, draining)).toMatch(/: draining for 3 s\n/);
  });

  it("shows that no model is loaded", () => {
    expect(shown(undefined, scrape(3, "ggufd:ready 1"))).toMatch(/\nno model$/);
  });

  it("shows why there is no data", () => {
    const view = { type: "failure", reason: "cannot be reached: connect ECONNREFUSED" } as const;
    expect(formatTable(view, { url, columns: 80 })).toEqual([
      "ggufd at http://127.0.0.1:8080",
      "",
      "cannot be reached: connect ECONNREFUSED",
    ]);
  });

  it("is truncated to the width of the terminal", () => {
    const lines = shown(before, after, 20).split("\n");
    expect(lines[3]).toBe("MODEL  SLOTS  QUEUE…");
    expect(Math.max(...lines.map((line) => line.length))).toBe(20);
  });

  it("contains no control characters from model names", () => {
    const named = scrape(3, 'ggufd:model_ready{model_name="a\u001b[2J\u202eb"} 1');
    expect(shown(undefined, named)).toContain("a[2Jb");
  });
});
