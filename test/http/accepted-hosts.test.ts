import { describe, expect, it, test } from "vitest";
import type { ListenAddress } from "../../src/core/listen-address.js";
import { acceptsHost, buildAcceptedHosts, isLocalOnly } from "../../src/http/accepted-hosts.js";
import { listening, openRaw, parseRaw } from "../support/raw-connection.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildLoadingApp, buildTestApp } from "../support/test-app.js";

const ofThisMachine = [
  "localhost",
  "localhost:8080",
  "LocalHost:1",
  "localhost.",
  "localhost:",
  "ggufd.localhost:8080",
  "127.0.0.1",
  "127.0.0.1:8080",
  "127.1.2.3",
  "[::1]",
  "[::1]:8080",
  "[::ffff:127.0.0.1]:8080",
];

const ofOthers = [
  "evil.example",
  "evil.example:8080",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "notlocalhost",
  "evil-localhost:8080",
  "10.0.0.1",
  "0.0.0.0:8080",
  "[::]:8080",
  "[fd00::1]",
];

const malformed = [
  "",
  " localhost",
  "localhost:port",
  "localhost:1:2",
  "user@localhost",
  "localhost/",
  "localhost,evil.example",
  "::1",
  "[::1",
  "[localhost]",
];

const loopback: ListenAddress = { kind: "tcp", host: "127.0.0.1" };
const unix: ListenAddress = { kind: "unix", path: "/run/ggufd.sock" };

describe("a server that listens on loopback", () => {
  const ofLoopback = ["127.0.0.1", "127.8.0.1", "localhost", "::1", "::ffff:127.0.0.1"];

  test.each(ofLoopback)("on %s accepts only the names of the local machine", (listenHost) => {
    const accepted = buildAcceptedHosts([{ kind: "tcp", host: listenHost }], []);
    expect(ofThisMachine.filter((host) => !acceptsHost(accepted, host))).toEqual([]);
    expect([...ofOthers, ...malformed].filter((host) => acceptsHost(accepted, host))).toEqual([]);
  });

  test.each([
    ["a Unix socket", [unix]],
    ["a Unix socket and both loopback addresses", [unix, loopback, { kind: "tcp", host: "::1" }]],
  ] as const)("on %s accepts only the names of the local machine", (_, addresses) => {
    const accepted = buildAcceptedHosts(addresses, []);
    expect(isLocalOnly(addresses)).toBe(true);
    expect(ofThisMachine.filter((host) => !acceptsHost(accepted, host))).toEqual([]);
    expect([...ofOthers, ...malformed].filter((host) => acceptsHost(accepted, host))).toEqual([]);
  });

  test("accepts additional names, in any case and on any port", () => {
    const accepted = buildAcceptedHosts([loopback], ["LLM.example.com", "[fd00::1]", "10.0.0.9"]);
    for (const host of ["llm.example.com", "LLM.EXAMPLE.COM.:443", "[FD00::1]:80", "10.0.0.9"]) {
      expect(acceptsHost(accepted, host), host).toBe(true);
    }
    for (const host of ["example.com", "a.llm.example.com", "10.0.0.8"]) {
      expect(acceptsHost(accepted, host), host).toBe(false);
    }
  });
});

describe("a server that is reachable from other machines", () => {
  test.each(["0.0.0.0", "::", "10.0.0.1", "llm.example.com"])("on %s accepts any host", (host) => {
    const accepted = buildAcceptedHosts([loopback, { kind: "tcp", host }], []);
    for (const name of [...ofThisMachine, ...ofOthers]) {
      expect(acceptsHost(accepted, name), name).toBe(true);
    }
  });

  test("accepts the configured names, local names and IP addresses", () => {
    const accepted = buildAcceptedHosts([{ kind: "tcp", host: "0.0.0.0" }], ["llm.example.com"]);
    for (const host of [...ofThisMachine, "llm.example.com", "10.0.0.1:8080", "[fd00::1]"]) {
      expect(acceptsHost(accepted, host), host).toBe(true);
    }
    for (const host of ["evil.example", "localhost.evil.example", ...malformed]) {
      expect(acceptsHost(accepted, host), host).toBe(false);
    }
  });
});

describe("a request with a Host header of another host", () => {
  const headers = { host: "evil.example:8080" };
  const message =
    'host: expected this machine (localhost, 127.0.0.1) or a host that --allowed-host names, got "evil.example:8080".';

  it.each([
    ["/v1/models", { error: { code: "host_not_allowed", type: "permission_error", message } }],
    ["/nowhere", { error: { code: "host_not_allowed", message } }],
    ["/v1/%zz", { error: { code: "host_not_allowed", message } }],
    ["/v1/messages", { type: "error", error: { type: "permission_error", message } }],
    ["/v1/todos", { error: { code: "HOST_NOT_ALLOWED", message } }],
    ["/api/todos", { error: message }],
    ["/todos", { error: message }],
    ["/api/tags", { error: message }],
    ["/docs", { error: { code: "host_not_allowed" } }],
  ])("is rejected at %s with the error format of the path", async (url, body) => {
    const { app } = buildLoadingApp();
    const response = await app.inject({ url, headers });
    expect(response.statusCode).toBe(403);
    expect(response.headers["x-request-id"]).toMatch(/^req_/);
    expect(response.json()).toMatchObject(body);
  });

  it("is also rejected as a preflight", async () => {
    const { app } = buildLoadingApp();
    const response = await app.inject({
      method: "OPTIONS",
      url: "/v1/models",
      headers: { ...headers, origin: "http://x", "access-control-request-method": "GET" },
    });
    expect(response.statusCode).toBe(403);
  });

  it("is not processed at Ollama's routes, which need no preflight", async () => {
    const engine = new ScriptedEngine(() => ({ parts: ["a"] }));
    const { app } = buildTestApp(engine);
    const payload = JSON.stringify({ model: "scripted", messages: [] });
    const post = (more: Record<string, string>) =>
      app.inject({
        method: "POST",
        url: "/api/chat",
        headers: { "content-type": "text/plain", ...more },
        payload,
      });
    // After DNS rebinding a page has the same origin as the server.
    const rebound = await post({ ...headers, origin: "http://evil.example:8080" });
    expect([rebound.statusCode, rebound.json()]).toEqual([403, { error: message }]);
    expect((await post({ host: "localhost:8080" })).statusCode).not.toBe(403);
  });

  it("is answered if the host is configured", async () => {
    const { app } = buildLoadingApp({ edge: { allowedHost: ["evil.example"] } });
    expect((await app.inject({ url: "/health/live", headers })).statusCode).toBe(200);
  });

  it("is answered by a server that is reachable from other machines", async () => {
    const { app } = buildLoadingApp({ edge: { host: ["0.0.0.0"] } });
    expect((await app.inject({ url: "/health/live", headers })).statusCode).toBe(200);
  });
});

describe("a raw HTTP request", () => {
  it.each([
    ["without a Host header", "", 400, "host: expected a Host header, got none."],
    [
      "with two Host headers",
      "Host: localhost\r\nhost: localhost\r\n",
      400,
      "host: expected one Host header, got 2.",
    ],
    ["with an empty Host header", "Host:\r\n", 403, 'got "".'],
    ["with a list of hosts", "Host: localhost, localhost\r\n", 403, 'got "localhost, localhost".'],
  ])("%s is rejected", async (_, hosts, status, message) => {
    const port = await listening(buildLoadingApp().app);
    const { closed } = await openRaw(port, `GET / HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    const answer = parseRaw(await closed);
    expect(answer.status).toBe(status);
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
    expect(JSON.parse(answer.body).error.message).toContain(message);
  });

  it("of HTTP/1.0 needs no Host header", async () => {
    const port = await listening(buildLoadingApp().app);
    const { closed } = await openRaw(port, "GET /health/live HTTP/1.0\r\n\r\n");
    expect(parseRaw(await closed).status).toBe(200);
  });

  it("with another host in its target is answered 404, for any Host header", async () => {
    const port = await listening(buildLoadingApp().app);
    const { closed } = await openRaw(
      port,
      "GET http://evil.example/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    expect(parseRaw(await closed).status).toBe(404);
  });
});
