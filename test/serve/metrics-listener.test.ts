import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { Agent, fetch } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { expectFreeAddresses } from "../../src/serve/entrance.js";
import { openMetricsListener } from "../../src/serve/metrics-listener.js";
import { openRaw, parseRaw } from "../support/raw-connection.js";
import { metricNamesIn, metricsIn } from "../support/scraped-metrics.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { buildLoadingApp, buildTestApp, type TestApp } from "../support/test-app.js";

const logger = pino({ level: "silent" });
const configOf = (flags: Readonly<Record<string, unknown>>) =>
  loadConfig({ flags, environment: {} }).config;

/** A server with keys, and its listener for metrics, which is closed after the test. */
async function open(
  metricsListen: readonly string[],
  built: Omit<TestApp, "scheduler"> = appWithKeys(),
) {
  const config = configOf({ metricsListen });
  const { models, metrics } = built;
  const listener = await openMetricsListener({ config, models, metrics, logger });
  onTestFinished(() => listener.close());
  const [first = ""] = listener.urls;
  return { ...built, listener, url: first.replace(/\/metrics$/, "") };
}

function appWithKeys() {
  const engine = new ScriptedEngine(() => ({ parts: ["nougat"] }));
  return buildTestApp(engine, { keyLines: ["secret name=alice"], metricsPerKey: true });
}

/** Sends bytes to a server, which answers and closes the connection. */
async function sendRaw(url: string, text: string) {
  const { closed } = await openRaw(Number(new URL(url).port), text);
  return parseRaw(await closed);
}

describe("the metrics listener", () => {
  it("serves the metrics without a key, except those of the keys", async () => {
    const { app, url } = await open(["0"]);
    const answer = await app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer secret" },
      payload: { messages: [{ role: "user", content: "marzipan" }] },
    });
    expect(answer.statusCode).toBe(200);
    const protectedPage = await app.inject({
      url: "/metrics",
      headers: { authorization: "Bearer secret" },
    });
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(response.headers.get("process-start-time-unix")).toMatch(/^\d+$/);
    const text = await response.text();
    expect(metricsIn(text)).toMatchObject({
      "ggufd:num_requests_running{model_name=scripted}": 0,
      "ggufd:request_success_total{finished_reason=stop,model_name=scripted}": 1,
    });
    const isOfKey = (name: string) => name.startsWith("ggufd:key_");
    const names = metricNamesIn(protectedPage.body);
    expect(names.some(isOfKey)).toBe(true);
    expect(protectedPage.body).toContain('key="alice"');
    expect(metricNamesIn(text)).toEqual(names.filter((name) => !isOfKey(name)));
    for (const secret of ["alice", "secret", "marzipan", "nougat"]) {
      expect(text).not.toContain(secret);
    }
  });

  it("serves the health checks", async () => {
    const loading = await open(["0"], buildLoadingApp());
    const statusOf = async (url: string, path: string) => (await fetch(url + path)).status;
    expect(await statusOf(loading.url, "/health")).toBe(503);
    expect(await statusOf(loading.url, "/health/ready")).toBe(503);
    expect(await statusOf(loading.url, "/health/live")).toBe(200);
    const ready = await open(["0"]);
    expect(await statusOf(ready.url, "/health")).toBe(200);
    expect(await statusOf(ready.url, "/health/ready/")).toBe(200);
  });

  it("reports a server that drains", async () => {
    const { models, url } = await open(["0"]);
    models.drain();
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    const scraped = metricsIn(await (await fetch(`${url}/metrics`)).text());
    expect(scraped).toMatchObject({ "ggufd:draining": 1, "ggufd:ready": 0 });
  });

  it.each(["/", "/v1/models", "/slots", "/docs", "/metrics/x", "/api/todos", "/v1/key"])(
    "has nothing at %s",
    async (path) => {
      const { url } = await open(["0"]);
      const response = await fetch(url + path, { headers: { authorization: "Bearer secret" } });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        error: {
          code: "not_found",
          message: `There is nothing at GET ${path}: this address has only /metrics and /health.`,
        },
      });
    },
  );

  it("answers other methods with 405, and malformed paths and requests in the error format", async () => {
    const { url } = await open(["0"]);
    const post = await fetch(`${url}/metrics`, { method: "POST" });
    expect(post.status).toBe(405);
    expect(post.headers.get("allow")).toBe("GET, HEAD");
    const malformed = await fetch(`${url}/%zz`);
    expect(malformed.status).toBe(400);
    expect(await malformed.json()).toMatchObject({ error: { code: "invalid_request" } });
    const { status, body } = await sendRaw(url, "nonsense\r\n\r\n");
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_request" } });
  });

  it("refuses other hosts on loopback addresses, and web pages", async () => {
    const { url } = await open(["0"]);
    const scrapeAs = (host: string) =>
      sendRaw(url, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect((await scrapeAs("localhost")).status).toBe(200);
    expect((await scrapeAs("evil.example")).status).toBe(403);
    const page = await fetch(`${url}/metrics`, { headers: { origin: "https://evil.example" } });
    expect(page.status).toBe(403);
    expect(page.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("listens on every address, each with its own port", async () => {
    const path = join(await temporaryFolder(), "metrics.sock");
    const { listener } = await open(["0", "127.0.0.2:0", `unix:${path}`]);
    expect(listener.urls).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/),
      expect.stringMatching(/^http:\/\/127\.0\.0\.2:\d+\/metrics$/),
      `unix:${path}`,
    ]);
    for (const url of listener.urls.slice(0, 2)) expect((await fetch(url)).status).toBe(200);
    const agent = new Agent({ connect: { socketPath: path } });
    onTestFinished(() => agent.destroy());
    const response = await fetch("http://localhost/metrics", { dispatcher: agent });
    expect(response.status).toBe(200);
  });

  it("is absent without addresses", async () => {
    const { listener } = await open([]);
    expect(listener.urls).toEqual([]);
  });

  it("closes its connections and sockets", async () => {
    const path = join(await temporaryFolder(), "metrics.sock");
    const { listener, url } = await open(["0", `unix:${path}`]);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    await listener.close();
    expect(existsSync(path)).toBe(false);
    await expect(fetch(`${url}/metrics`)).rejects.toThrow("fetch failed");
  });

  it("names its setting if an address cannot be listened on", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const message = `--metrics-listen 127.0.0.1:${port}: already in use; choose another port`;
    await expect(open([`${port}`])).rejects.toThrow(message);
    await expect(open(["unix:/nowhere/at/all.sock"])).rejects.toThrow(
      "--metrics-listen unix:/nowhere/at/all.sock: expected the folder /nowhere/at to exist",
    );
    await expect(open(["192.0.2.1:9090"])).rejects.toThrow(
      /^--metrics-listen 192\.0\.2\.1:9090: cannot listen: /,
    );
  });

  it("cannot have an address of the server, which is known before anything is started", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, "close");
    await expect(
      expectFreeAddresses(configOf({ port: `${port}`, metricsListen: [`${port}`] })),
    ).rejects.toThrow(`--metrics-listen 127.0.0.1:${port}: already in use; choose another port`);
    await expectFreeAddresses(configOf({ port: `${port}`, metricsListen: ["0"] }));
  });
});
