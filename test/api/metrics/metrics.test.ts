import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { engineStatistics } from "../../support/engine-statistics.js";
import { eventually } from "../../support/eventually.js";
import { runApp } from "../../support/running-app.js";
import { metricNamesIn, metricsIn } from "../../support/scraped-metrics.js";
import { deferred, ScriptedEngine } from "../../support/scripted-engine.js";
import { someAdapter } from "../../support/some-adapter.js";
import {
  ALIAS,
  buildLoadingApp,
  buildTestApp,
  type TestAppOptions,
} from "../../support/test-app.js";

const CHAT = "/v1/chat/completions";

function scriptedEngine() {
  const engine = new ScriptedEngine(() => ({ parts: ["Hello", " there"] }));
  return Object.assign(engine, { statistics: engineStatistics });
}

function testApp(options: TestAppOptions = {}) {
  return buildTestApp(scriptedEngine(), options);
}

describe("GET /metrics", () => {
  test("responds in the Prometheus text format, with caching disabled", async () => {
    const { app } = testApp();
    const { statusCode, headers, body } = await app.inject("/metrics");
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(headers["cache-control"]).toBe("no-store");
    const ageSeconds = Date.now() / 1000 - Number(headers["process-start-time-unix"]);
    expect(ageSeconds).toBeGreaterThanOrEqual(0);
    expect(ageSeconds).toBeLessThan(86_400);
    expect(metricsIn(body)).toMatchObject({ "ggufd:build_info{version=0.0.0}": 1 });
  });

  test("responds while the model is loading", async () => {
    const { app } = buildLoadingApp();
    const { statusCode, body } = await app.inject("/metrics");
    expect(statusCode).toBe(200);
    expect(metricsIn(body)).toMatchObject({ "ggufd:ready": 0 });
  });

  test("includes request metrics", async () => {
    const running = await runApp(scriptedEngine());
    onTestFinished(() => running.close());
    const post = async (body: object) => {
      const response = await fetch(`${running.url}${CHAT}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return response.text();
    };
    await post({ messages: [{ role: "user", content: "Hi" }] });
    await post({ messages: [] });
    const scraped = metricsIn(await (await fetch(`${running.url}/metrics`)).text());
    const ofModel = `model_name=${ALIAS}`;
    expect(scraped).toMatchObject({
      [`ggufd:request_success_total{finished_reason=stop,${ofModel}}`]: 1,
      [`ggufd:request_prompt_tokens_count{${ofModel}}`]: 1,
      [`ggufd:time_to_first_token_seconds_count{${ofModel}}`]: 1,
      [`ggufd:num_requests_running{${ofModel}}`]: 0,
      [`ggufd:num_requests_waiting{${ofModel}}`]: 0,
      [`ggufd:http_requests_total{method=POST,route=${CHAT},status=2xx}`]: 1,
      [`ggufd:http_requests_total{method=POST,route=${CHAT},status=4xx}`]: 1,
      "ggufd:errors_total{code=invalid_request}": 1,
    });
  });

  test("names the adapters of running and waiting requests, for endpoint pickers", async () => {
    const release = deferred();
    const engine = new ScriptedEngine(() => ({ parts: ["ok"], before: () => release.promise }), {
      slots: 1,
      adapters: [someAdapter("poet"), someAdapter("sql")],
    });
    const { app } = buildTestApp(engine);
    const ask = (model: string) =>
      app.inject({
        method: "POST",
        url: CHAT,
        payload: { model, messages: [{ role: "user", content: "Hi" }] },
      });
    const loraLine = async () =>
      /^vllm:lora_requests_info(\{.*\})/m.exec((await app.inject("/metrics")).body)?.[1];
    const poet = ask("poet");
    await eventually(() => expect(engine.started).toHaveLength(1));
    const sql = ask("sql");
    await eventually(async () =>
      expect(await loraLine()).toBe(
        '{max_lora="1",running_lora_adapters="poet",waiting_lora_adapters="sql"}',
      ),
    );
    release.resolve();
    expect([(await poet).statusCode, (await sql).statusCode]).toEqual([200, 200]);
    expect(await loraLine()).toBe(
      '{max_lora="1",running_lora_adapters="",waiting_lora_adapters=""}',
    );
  });

  test("includes the engine's counters", async () => {
    const { app } = testApp();
    const scraped = metricsIn((await app.inject("/metrics")).body);
    expect(scraped[`ggufd:prefix_cache_queries_total{model_name=${ALIAS}}`]).toBe(2000);
  });

  test("requires a key if the server has keys", async () => {
    const { app } = testApp({ apiKeys: ["secret"] });
    expect((await app.inject("/metrics")).statusCode).toBe(401);
    const headers = { authorization: "Bearer secret" };
    expect((await app.inject({ url: "/metrics", headers })).statusCode).toBe(200);
  });
});

describe("docs/operations.md", () => {
  test("lists exactly the metrics that ggufd defines, with their types", async () => {
    const { app } = testApp({ metricsPerKey: true });
    const { body } = await app.inject("/metrics");
    const types = [...body.matchAll(/^# TYPE ((?:ggufd|llamacpp|vllm):\S+) (\w+)$/gm)];
    const served = types.map(([, name, type]) => `${name} ${type}`);
    expect(served).toHaveLength(metricNamesIn(body).length);
    const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `((?:ggufd|llamacpp|vllm):\w+)` \| (\w+) \|/gm)];
    expect(rows.map(([, name, type]) => `${name} ${type}`).toSorted()).toEqual(served.toSorted());
  });
});
