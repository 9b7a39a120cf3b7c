import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { recordRequests } from "../../../src/telemetry/record-requests.js";
import { openTracing } from "../../../src/telemetry/tracing/open-tracing.js";
import { eventually } from "../../support/eventually.js";
import { runApp } from "../../support/running-app.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { chatRequest, requestEnd } from "../request-stages.js";
import { type ReceivedSpan, startCollector } from "./collector.js";

const silent = pino({ level: "silent" });
const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

const SERVER = 2;
const ERROR = 2;

/** The application, sending traces to a collector. */
async function tracedApp(script: Script, answers: "at once" | "never" = "at once") {
  const collector = await startCollector(answers);
  const tracing = openTracing({
    url: collector.url,
    version: "1.2.3",
    logger: silent,
    flushMs: answers === "never" ? 10 : 10_000,
  });
  const { url, close } = await runApp(new ScriptedEngine(() => script), {
    observers: [recordRequests([tracing.reporter])],
  });
  return {
    get: (path: string) => fetch(`${url}${path}`),
    chat: (headers: Record<string, string> = {}, body: object = {}) =>
      fetch(`${url}/v1/chat/completions?secret=query`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ messages: [{ role: "user", content: "secret prompt" }], ...body }),
      }),
    collector,
    /** Resolves when all spans have been sent or dropped. */
    end: async () => {
      await close();
      await tracing.close();
    },
  };
}

const childrenOf = (parent: ReceivedSpan | undefined, spans: readonly ReceivedSpan[]) =>
  spans.filter((span) => span.parentSpanId === parent?.spanId);

describe("a trace", () => {
  it("names the batch of a line", async () => {
    const { url, spans } = await startCollector("at once");
    const tracing = openTracing({ url, version: "1.2.3", logger: silent, flushMs: 10_000 });
    const observer = recordRequests([tracing.reporter]);
    observer.begin({ ...chatRequest, batchId: "batch_1" }).end(requestEnd());
    observer.begin(chatRequest).end(requestEnd());
    await tracing.close();
    expect(spans.map(({ attributes }) => attributes["ggufd.batch.id"])).toEqual([
      "batch_1",
      undefined,
    ]);
  });

  it("has a span for the request, with child spans for queue, prefill and decode", async () => {
    const { chat, collector, end } = await tracedApp({ parts: ["a", "b"] });
    expect((await chat()).status).toBe(200);
    await end();
    const root = collector.spans.find((span) => span.parentSpanId === undefined);
    expect(root).toMatchObject({
      name: "chat scripted",
      kind: SERVER,
      resource: { "service.name": "ggufd", "service.version": "1.2.3" },
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/chat/completions",
        "url.path": "/v1/chat/completions",
        "http.response.status_code": 200,
        "client.address": "127.0.0.1",
        "ggufd.request.id": expect.stringMatching(/^req_/),
        "ggufd.delivery": "complete",
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "ggufd",
        "gen_ai.request.model": "scripted",
        "gen_ai.response.model": "scripted",
        "gen_ai.usage.input_tokens": 13,
        "gen_ai.usage.cache_read.input_tokens": 1,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.response.time_to_first_chunk": expect.any(Number),
      },
    });
    const children = childrenOf(root, collector.spans);
    expect(children.map(({ name }) => name)).toEqual(["queue", "prefill", "decode"]);
    expect(collector.spans).toHaveLength(4);
    expect(new Set(collector.spans.map((span) => span.traceId)).size).toBe(1);
    const [queue, prefill, decode] = children;
    expect(prefill?.beginMs).toBe(queue?.endMs);
    expect(decode?.beginMs).toBe(prefill?.endMs);
    expect(prefill?.attributes).toEqual({
      "gen_ai.usage.input_tokens": 13,
      "gen_ai.usage.cache_read.input_tokens": 1,
    });
    expect(decode?.attributes).toEqual({ "gen_ai.usage.output_tokens": 2 });
    for (const span of children) {
      expect(span.beginMs).toBeGreaterThanOrEqual(root?.beginMs ?? Infinity);
      expect(span.endMs).toBeLessThanOrEqual(root?.endMs ?? 0);
      expect(span.endMs).toBeGreaterThanOrEqual(span.beginMs);
    }
  });

  it("has the phases of each choice of a request", async () => {
    const { chat, collector, end } = await tracedApp({ parts: ["a"] });
    await chat({}, { n: 2 });
    await end();
    const root = collector.spans.find((span) => span.parentSpanId === undefined);
    expect(root?.attributes).toMatchObject({
      "gen_ai.request.choice.count": 2,
      "gen_ai.usage.input_tokens": 13,
      "gen_ai.usage.output_tokens": 2,
    });
    const phases = childrenOf(root, collector.spans).map(({ name, attributes }) => [
      name,
      attributes["ggufd.choice"],
    ]);
    expect(phases).toEqual([
      ["queue", 0],
      ["prefill", 0],
      ["decode", 0],
      ["queue", 1],
      ["prefill", 1],
      ["decode", 1],
    ]);
  });

  it("contains no prompts, answers, query strings or keys", async () => {
    const { chat, collector, end } = await tracedApp({ parts: ["secret answer"] });
    await chat({ authorization: "Bearer secret-key" });
    await end();
    expect(collector.spans).not.toEqual([]);
    expect(JSON.stringify(collector.spans)).not.toContain("secret");
  });

  it("continues the client's trace, and its id is returned", async () => {
    const { chat, collector, end } = await tracedApp({ parts: ["a"] });
    const traceparent = `00-${traceId}-${spanId}-01`;
    const response = await chat({ traceparent, tracestate: "vendor=1" });
    await end();
    const root = collector.spans.find((span) => span.parentSpanId === spanId);
    expect(root).toMatchObject({ traceId, traceState: "vendor=1" });
    expect(response.headers.get("traceparent")).toBe(`00-${traceId}-${root?.spanId}-01`);
  });

  it("is not sent if the client does not sample it, but its id is returned", async () => {
    const { chat, collector, end } = await tracedApp({ parts: ["a"] });
    const response = await chat({ traceparent: `00-${traceId}-${spanId}-00` });
    await end();
    expect(collector.spans).toEqual([]);
    expect(response.headers.get("traceparent")).toMatch(
      new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`),
    );
  });

  it("gets a new id if the client's header is invalid", async () => {
    const { chat, collector, end } = await tracedApp({ parts: ["a"] });
    const response = await chat({ traceparent: "00-nonsense" });
    await end();
    const root = collector.spans.find((span) => span.parentSpanId === undefined);
    expect(response.headers.get("traceparent")).toBe(`00-${root?.traceId}-${root?.spanId}-01`);
  });

  it("is not created for health checks", async () => {
    const { get, collector, end } = await tracedApp({ parts: [] });
    for (const path of ["/health", "/health/live", "/health/ready"]) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.has("traceparent")).toBe(false);
    }
    await end();
    expect(collector.spans).toEqual([]);
  });

  it("has an error status for server errors, but not for client errors", async () => {
    const error = new GgufdError("model_unavailable", "It is gone.");
    const { get, chat, collector, end } = await tracedApp({ parts: [], ending: error });
    expect((await chat()).status).toBe(503);
    expect((await chat({}, { temperature: "hot" })).status).toBe(400);
    expect((await get("/nowhere")).status).toBe(404);
    await end();
    const outcomes = collector.spans
      .filter((span) => span.parentSpanId === undefined)
      .map(({ name, status, attributes }) => [name, status, attributes["error.type"]]);
    expect(outcomes).toEqual([
      ["chat scripted", { code: ERROR, message: "model_unavailable" }, "model_unavailable"],
      ["POST /v1/chat/completions", { code: 0 }, "invalid_request"],
      ["GET", { code: 0 }, "not_found"],
    ]);
  });

  it("has an error status for a stream that ended with an error", async () => {
    const error = new GgufdError("internal_error", "No.");
    const { chat, collector, end } = await tracedApp({ parts: ["a"], ending: error });
    const response = await chat({}, { stream: true });
    expect(response.status).toBe(200);
    await response.text();
    await end();
    expect(collector.spans.find((span) => span.parentSpanId === undefined)).toMatchObject({
      status: { code: ERROR, message: "internal_error" },
      attributes: { "http.response.status_code": 200, "gen_ai.response.finish_reasons": ["error"] },
    });
  });
});

describe("an unresponsive collector", () => {
  it("delays neither requests nor the shutdown", async () => {
    const { get, collector, end } = await tracedApp({ parts: ["a"] }, "never");
    // A full batch is sent immediately, so that later requests meet a hanging collector.
    for (let count = 0; count < 512; count++) await get("/v1/models");
    await eventually(() => expect(collector.unanswered.size).toBe(1));
    for (let count = 0; count < 20; count++) {
      expect((await get("/v1/models")).status).toBe(200);
    }
    await end();
    expect(collector.unanswered.size).toBeGreaterThan(0);
  });
});

it("resource attributes are read from OpenTelemetry's environment variables", async () => {
  vi.stubEnv("OTEL_SERVICE_NAME", "llm-east");
  vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=staging");
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const { get, collector, end } = await tracedApp({ parts: [] });
  await get("/v1/models");
  await end();
  expect(collector.spans[0]?.resource).toMatchObject({
    "service.name": "llm-east",
    "service.version": "1.2.3",
    "deployment.environment.name": "staging",
  });
});
