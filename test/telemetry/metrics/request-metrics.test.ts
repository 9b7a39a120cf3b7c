import { beforeEach, describe, expect, test } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import type {
  ObserveGeneration,
  RequestBeginning,
  RequestEnd,
} from "../../../src/core/request-observer.js";
import { Metrics } from "../../../src/telemetry/metrics/metrics.js";
import { loadingModel } from "../../support/pooled-models.js";
import { type ScrapedMetrics, scrape } from "../../support/scraped-metrics.js";
import {
  chatRequest,
  event,
  finished,
  requestEnd,
  running,
  text,
  usage,
  waiting,
} from "../request-stages.js";

let nowMs = 0;
beforeEach(() => {
  nowMs = 1_000_000.25;
});

function metrics(keys: "together" | "named" = "together"): Metrics {
  const server = { readiness: { state: "ready" } } as const;
  const models = [loadingModel("mini")];
  return new Metrics({ models: () => models, server, version: "1.2.3", keys, now: () => nowMs });
}

/** Starts a request; `at` sets the clock to a time after the start, in milliseconds. */
function begin(counted: Metrics, request: RequestBeginning = chatRequest) {
  const beganAtMs = nowMs;
  const observation = counted.observer.begin(request);
  return {
    at(ms: number, ...stage: Parameters<ObserveGeneration>) {
      nowMs = beganAtMs + ms;
      observation.observe(...stage);
    },
    end: (end: Partial<RequestEnd> = {}) => observation.end(requestEnd(end)),
  };
}

/** Metrics of the model in a scrape, without its label, and only count and sum of histograms. */
async function ofModel(counted: Metrics): Promise<ScrapedMetrics> {
  const entries = Object.entries(await scrape(counted))
    .filter(([name, value]) => name.includes("model_name=mini") && value !== 0)
    .filter(([name]) => !name.includes("model_loading"))
    .filter(([name]) => !name.includes("_bucket"))
    .map(([name, value]): [string, number] => [
      name
        .replace("ggufd:", "")
        .replace(/,?model_name=mini/, "")
        .replace("{}", ""),
      value,
    ]);
  return Object.fromEntries(entries);
}

const timings = (prefillMs: number, decodeMs: number) => ({
  prefillMs,
  decodeMs,
  draftTokens: 0,
  acceptedDraftTokens: 0,
  forcedTokens: 0,
});

describe("the metrics of an answer", () => {
  test("cover it from the queue to the last token", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(10, 0, waiting());
    expect(await ofModel(counted)).toEqual({ num_requests_waiting: 1 });
    request.at(50, 0, running);
    expect(await ofModel(counted)).toEqual({
      num_requests_running: 1,
      request_queue_time_seconds_count: 1,
      request_queue_time_seconds_sum: expect.closeTo(0.04),
    });
    request.at(250, 0, text(1));
    request.at(350, 0, text(2));
    request.at(650, 0, text(5));
    const usageAtEnd = usage({ promptTokens: 20, completionTokens: 6 });
    const ending = { type: "finished", reason: "length", usage: usageAtEnd } as const;
    request.at(750, 0, event({ ...ending, timings: timings(190, 480) }));
    request.end();
    expect(await ofModel(counted)).toEqual({
      request_queue_time_seconds_count: 1,
      request_queue_time_seconds_sum: expect.closeTo(0.04),
      time_to_first_token_seconds_count: 1,
      time_to_first_token_seconds_sum: 0.25,
      // One token after 100 ms, three together after 300 ms, and the last after 100 ms.
      inter_token_latency_seconds_count: 5,
      inter_token_latency_seconds_sum: expect.closeTo(0.5),
      request_time_per_output_token_seconds_count: 1,
      request_time_per_output_token_seconds_sum: expect.closeTo(0.1),
      request_prefill_time_seconds_count: 1,
      request_prefill_time_seconds_sum: 0.19,
      request_decode_time_seconds_count: 1,
      request_decode_time_seconds_sum: 0.48,
      e2e_request_latency_seconds_count: 1,
      e2e_request_latency_seconds_sum: 0.75,
      request_prompt_tokens_count: 1,
      request_prompt_tokens_sum: 20,
      request_generation_tokens_count: 1,
      request_generation_tokens_sum: 6,
      prompt_tokens_total: 20,
      generation_tokens_total: 6,
      "request_success_total{finished_reason=length}": 1,
    });
  });

  test("count each token of a chunk with several tokens", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(0, 0, running);
    request.at(100, 0, text(1));
    request.at(400, 0, text(4));
    const scraped = await scrape(counted);
    const bucket = (le: string) =>
      scraped[`ggufd:inter_token_latency_seconds_bucket{le=${le},model_name=mini}`];
    expect([bucket("0.075"), bucket("0.1"), bucket("0.4")]).toEqual([0, 3, 3]);
  });

  test("have no inter-token latency before the first chunk", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(0, 0, running);
    request.at(100, 0, text(3));
    expect(await ofModel(counted)).toMatchObject({
      generation_tokens_total: 3,
      time_to_first_token_seconds_count: 1,
      inter_token_latency_seconds_count: 2,
    });
  });

  test.each([
    ["stop", finished("stop"), "stop"],
    ["tool calls", finished("tool-calls"), "tool_calls"],
    ["a cancellation", event({ type: "cancelled" }), "abort"],
    [
      "an error",
      event({ type: "failed", error: new GgufdError("model_unavailable", "Lost.") }),
      "error",
    ],
  ])("report the finish reason of %s", async (_, stage, reason) => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(1, 0, running);
    request.at(2, 0, stage);
    request.at(3, 0, event({ type: "cancelled" }));
    const scraped = await ofModel(counted);
    expect(scraped).toMatchObject({ [`request_success_total{finished_reason=${reason}}`]: 1 });
    expect(Object.keys(scraped).filter((name) => name.startsWith("num_requests"))).toEqual([]);
    expect(
      Object.keys(scraped).filter((name) => name.startsWith("request_success_total")),
    ).toHaveLength(1);
  });

  test("decrease the queue length when the answer is cancelled in the queue", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(5, 0, event({ type: "cancelled" }));
    expect(await ofModel(counted)).toEqual({ "request_success_total{finished_reason=abort}": 1 });
  });

  test("have latencies of finished answers only", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(0, 0, running);
    request.at(9, 0, event({ type: "cancelled" }));
    expect(Object.keys(await ofModel(counted))).not.toContain("e2e_request_latency_seconds_count");
  });

  test("count the prompt of several choices once, and each choice separately", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(0, 1, waiting({ sharesPrompt: true }));
    for (const choice of [0, 1]) request.at(10, choice, running);
    for (const choice of [0, 1]) request.at(20, choice, text(1));
    for (const choice of [0, 1]) request.at(30, choice, finished("stop", { completionTokens: 2 }));
    expect(await ofModel(counted)).toMatchObject({
      prompt_tokens_total: 20,
      generation_tokens_total: 4,
      request_prompt_tokens_sum: 40,
      time_to_first_token_seconds_count: 2,
      "request_success_total{finished_reason=stop}": 2,
    });
  });

  test.each([
    ["abort", { type: "cancelled" }],
    ["error", { type: "failed", error: new GgufdError("queue_timeout", "Too long.") }],
  ] as const)(
    "report a pooling request that ends in the queue with the finish reason %s",
    async (reason, event) => {
      const counted = metrics();
      const request = begin(counted);
      request.at(0, 0, waiting());
      request.at(10, 0, { type: "event", event });
      const { num_requests_waiting = 0, ...others } = await ofModel(counted);
      expect(num_requests_waiting).toBe(0);
      expect(others).toMatchObject({ [`request_success_total{finished_reason=${reason}}`]: 1 });
    },
  );

  test("include pooling requests", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(10, 0, running);
    request.at(40, 0, { type: "pooled", promptTokens: 12 });
    expect(await ofModel(counted)).toEqual({
      prompt_tokens_total: 12,
      request_prompt_tokens_count: 1,
      request_prompt_tokens_sum: 12,
      request_queue_time_seconds_count: 1,
      request_queue_time_seconds_sum: 0.01,
      e2e_request_latency_seconds_count: 1,
      e2e_request_latency_seconds_sum: 0.04,
      "request_success_total{finished_reason=stop}": 1,
    });
  });
});

describe("the metrics of HTTP requests", () => {
  test("are labelled by method, route and status class, but not by client-supplied values", async () => {
    const counted = metrics();
    begin(counted).end({ status: 200, durationMs: 250 });
    begin(counted).end({ status: 204 });
    const { route: _, ...elsewhere } = chatRequest;
    begin(counted, { ...elsewhere, method: "BREW", path: "/tea" }).end({ status: 404 });
    const scraped = await scrape(counted);
    const counts = Object.entries(scraped).filter(([name]) => name.includes("http_requests_total"));
    expect(Object.fromEntries(counts)).toEqual({
      "ggufd:http_requests_total{method=POST,route=/v1/chat/completions,status=2xx}": 2,
      "ggufd:http_requests_total{method=other,route=none,status=4xx}": 1,
    });
    const duration = "ggufd:http_request_duration_seconds_sum{route=/v1/chat/completions}";
    expect(scraped[duration]).toBe(0.35);
  });

  test("count disconnected clients separately, for any status", async () => {
    const counted = metrics();
    begin(counted).end({ status: 200, delivery: "cut-by-client" });
    expect(await scrape(counted)).toMatchObject({
      "ggufd:http_requests_total{method=POST,route=/v1/chat/completions,status=cut}": 1,
    });
  });
});

describe("the error metrics", () => {
  const failed = (code: "model_unavailable" | "internal_error") =>
    event({ type: "failed", error: new GgufdError(code, "No.") });
  const errors = async (counted: Metrics) =>
    Object.fromEntries(
      Object.entries(await scrape(counted)).filter(
        ([name, value]) => name.startsWith("ggufd:errors_total") && value > 0,
      ),
    );

  test("have a zero counter for every code from the start", async () => {
    const scraped = await scrape(metrics());
    expect(scraped["ggufd:errors_total{code=server_overloaded}"]).toBe(0);
    expect(scraped["ggufd:errors_total{code=internal_error}"]).toBe(0);
  });

  test("count the code of the error response, once", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(0, 0, failed("internal_error"));
    request.end({ status: 503, errorCode: "model_unavailable" });
    expect(await errors(counted)).toEqual({ "ggufd:errors_total{code=model_unavailable}": 1 });
  });

  test("count the code of a failed answer if no error response was sent", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(0, 0, failed("internal_error"));
    request.end({ delivery: "cut-by-client" });
    expect(await errors(counted)).toEqual({ "ggufd:errors_total{code=internal_error}": 1 });
  });

  test("count the code of an answer that fails in the background after the response", async () => {
    const counted = metrics();
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.end();
    request.at(500, 0, failed("internal_error"));
    expect(await errors(counted)).toEqual({ "ggufd:errors_total{code=internal_error}": 1 });
  });
});

describe("the metrics of API keys", () => {
  const answered = (counted: Metrics, end: Partial<RequestEnd>) => {
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.at(0, 0, running);
    request.at(9, 0, finished("stop", { completionTokens: 7 }));
    request.end(end);
  };
  const ofKeys = async (counted: Metrics) =>
    Object.fromEntries(
      Object.entries(await scrape(counted)).filter(([name]) => name.startsWith("ggufd:key_")),
    );

  test("are omitted unless enabled", async () => {
    const counted = metrics();
    answered(counted, { keyName: "alice" });
    expect(await ofKeys(counted)).toEqual({});
  });

  test("count requests and tokens per key", async () => {
    const counted = metrics("named");
    answered(counted, { keyName: "alice" });
    answered(counted, {});
    begin(counted).end({ status: 429, errorCode: "server_overloaded", keyName: "alice" });
    expect(await ofKeys(counted)).toEqual({
      "ggufd:key_requests_total{key=alice}": 2,
      "ggufd:key_errors_total{key=alice}": 1,
      "ggufd:key_prompt_tokens_total{key=alice}": 20,
      "ggufd:key_generation_tokens_total{key=alice}": 7,
    });
  });

  test("include the tokens of background answers", async () => {
    const counted = metrics("named");
    const request = begin(counted);
    request.at(0, 0, waiting());
    request.end({ keyName: "bob" });
    request.at(1, 0, running);
    request.at(2, 0, text(1));
    request.at(3, 0, finished("stop", { completionTokens: 3 }));
    expect(await ofKeys(counted)).toMatchObject({
      "ggufd:key_prompt_tokens_total{key=bob}": 20,
      "ggufd:key_generation_tokens_total{key=bob}": 3,
    });
  });
});
