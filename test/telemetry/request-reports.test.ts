import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { openRequestReports } from "../../src/telemetry/request-reports.js";
import { chatRequest, requestEnd } from "./request-stages.js";
import { startCollector } from "./tracing/collector.js";

/** Reports one request; returns its response headers and its log line. */
async function report(accessLog: string, environment: NodeJS.ProcessEnv = {}) {
  const lines: string[] = [];
  const logger = pino({ level: "info", base: null }, { write: (line) => lines.push(line) });
  const reports = await openRequestReports({
    accessLog,
    environment,
    version: "1.2.3",
    logger,
  });
  const observation = reports.observer.begin(chatRequest);
  observation.end(requestEnd());
  await reports.close();
  return {
    headers: observation.responseHeaders,
    logged: lines.map((line) => JSON.parse(line)),
  };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-reports-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("the access log", () => {
  it("is part of the server log by default", async () => {
    const { logged } = await report("log");
    expect(logged).toMatchObject([{ level: 30, msg: "request", request_id: "req_1" }]);
  });

  it("is written to a file instead if one is configured", async () => {
    const path = join(temporaryFolder(), "access.log");
    const { logged } = await report(path);
    expect(logged).toEqual([]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ request_id: "req_1" });
  });

  it("can be disabled", async () => {
    expect((await report("off")).logged).toEqual([]);
  });
});

describe("tracing", () => {
  test("starts no span without a collector", async () => {
    expect((await report("off")).headers).toEqual({});
  });

  test("adds the trace id of the request's span to its log line", async () => {
    const collector = await startCollector("at once");
    const { headers, logged } = await report("log", {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
    });
    const [span] = collector.spans;
    expect(headers).toEqual({ traceparent: `00-${span?.traceId}-${span?.spanId}-01` });
    expect(logged).toMatchObject([{ msg: "request", trace_id: span?.traceId }]);
  });
});
