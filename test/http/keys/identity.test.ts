import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { computeKeyHash, parseKeyLine } from "../../../src/config/keys/key-line.js";
import { access } from "../../../src/core/api-keys.js";
import type { Caller } from "../../../src/core/caller.js";
import type { GgufdError } from "../../../src/core/errors.js";
import type { RequestEnd } from "../../../src/core/request-observer.js";
import { buildCaller } from "../../../src/http/caller.js";
import { KeyRing } from "../../../src/http/keys/key-ring.js";
import { requireKeys } from "../../../src/http/keys/require-keys.js";
import { observeRequests } from "../../../src/http/observe-requests.js";
import { eventually } from "../../support/eventually.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const engine = () => new ScriptedEngine(() => ({ parts: ["ok"] }));

/** Ends of the requests sent to an application, as reported to observers. */
function observedApp(options: TestAppOptions) {
  const ends: RequestEnd[] = [];
  const observer = {
    begin: () => ({ observe: () => undefined, end: (end: RequestEnd) => ends.push(end) }),
  };
  const { app } = buildTestApp(engine(), { ...options, observers: [observer] });
  onTestFinished(() => app.close());
  return { app, ends };
}

describe("the name of a key", () => {
  const keyLines = ["a name=alice scopes=todos", "bare"];

  test.each([
    ["of a permitted request", "a", "/v1/models", 200, "alice"],
    ["of a request outside its scopes", "a", "/metrics", 403, "alice"],
    [
      "of a key without a name",
      "bare",
      "/v1/models",
      200,
      `key-${computeKeyHash("bare").slice(0, 8)}`,
    ],
    ["of an unknown key", "stranger", "/v1/models", 401, undefined],
    ["on an open route", "a", "/health", 200, undefined],
  ])("is reported to observers: %s", async (_what, key, url, status, keyName) => {
    const { app, ends } = observedApp({ keyLines });
    await app.inject({ url, headers: { "x-api-key": key } });
    expect(ends.map((end) => [end.status, end.keyName])).toEqual([[status, keyName]]);
  });

  test("is written to the access log", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "info" }, { write: (line) => lines.push(line) });
    const { app } = observedApp({ keyLines, logger });
    await app.inject({ url: "/v1/models", headers: { "x-api-key": "a" } });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ key: "alice", status: 200 }]);
  });

  test("is a label of the metrics if per-key metrics are enabled", async () => {
    const { app } = observedApp({ keyLines, metricsPerKey: true });
    await app.inject({ url: "/v1/models", headers: { "x-api-key": "a" } });
    const { body } = await app.inject({ url: "/metrics", headers: { "x-api-key": "bare" } });
    expect(body).toMatch(/key="alice"/);
  });
});

describe("the caller of a request", () => {
  async function callerWith(key: string | undefined, lines: readonly string[]): Promise<Caller> {
    const app = Fastify();
    onTestFinished(() => app.close());
    const callers: Caller[] = [];
    observeRequests(app, []);
    const ring = new KeyRing(lines.map((line) => parseKeyLine(line, "key")));
    requireKeys(app, ring);
    app.get("/", { config: { access: access.answer } }, (request, reply) => {
      callers.push(buildCaller(request, reply));
      return {};
    });
    await app.inject({ url: "/", ...(key !== undefined && { headers: { "x-api-key": key } }) });
    const [caller] = callers;
    if (caller === undefined) throw new Error("the request was refused");
    return caller;
  }

  test("has the name and the weight of its key", async () => {
    const caller = await callerWith("a", ["a name=alice weight=2.5"]);
    expect(caller).toMatchObject({ name: "key:alice", weight: 2.5 });
    expect(caller.tokens).toBeUndefined();
  });

  test("is charged for its tokens if they are limited", async () => {
    const caller = await callerWith("a", ["a tokens-per-minute=10"]);
    expect(caller.tokens?.admit).toBeTypeOf("function");
  });

  test("is identified by the client's address without keys", async () => {
    expect(await callerWith(undefined, [])).toMatchObject({ name: "address:127.0.0.1", weight: 1 });
  });
});

test.each([
  ["operator", 200],
  ["user", 403],
])(
  "a route without a declared access level requires an operator's key: requested by the %s",
  async (key, status) => {
    const app = Fastify();
    onTestFinished(() => app.close());
    observeRequests(app, []);
    const lines = ["operator scopes=admin", "user scopes=inference,todos"];
    requireKeys(app, new KeyRing(lines.map((line) => parseKeyLine(line, "key"))));
    app.setErrorHandler((error: GgufdError, _request, reply) => reply.code(error.status).send());
    app.get("/", async () => "asked");
    const response = await app.inject({ url: "/", headers: { "x-api-key": key } });
    expect(response.statusCode).toBe(status);
  },
);

test("a client that disconnects releases its request from the concurrency limit", async () => {
  const never = new ScriptedEngine(() => ({ parts: ["a"], ending: "never" }));
  const { app, scheduler } = buildTestApp(never, { keyLines: ["k concurrent=1"] });
  onTestFinished(async () => {
    scheduler.endAll();
    await app.close();
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const headers = { "x-api-key": "k", "content-type": "application/json" };
  const path = "/v1/chat/completions";
  const send = (content: string) => {
    const call = request({ port, host: "127.0.0.1", method: "POST", path, headers, agent: false });
    call.on("error", () => undefined);
    call.end(JSON.stringify({ stream: true, messages: [{ role: "user", content }] }));
    return call;
  };
  const first = send("Hi");
  await eventually(() => expect(never.started).toHaveLength(1));
  const [refused] = await once(send("Hi"), "response");
  expect(refused.statusCode).toBe(429);
  first.destroy();
  await eventually(async () => {
    const [answer] = await once(send("Hi"), "response");
    answer.destroy();
    expect(answer.statusCode).toBe(200);
  });
});
