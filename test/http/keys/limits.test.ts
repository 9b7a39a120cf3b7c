import { describe, expect, onTestFinished, test } from "vitest";
import { finishLoading } from "../../support/pooled-models.js";
import { deferred, ScriptedEngine } from "../../support/scripted-engine.js";
import { servedModel } from "../../support/served-model.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { ALIAS, buildLoadingApp, buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "12345" }];
const completion = ["POST", "/v1/chat/completions", { messages }] as const;

/** Application with one key, `k`, whose clock is stopped. */
function appWith(attributes: string, script: ConstructorParameters<typeof ScriptedEngine>[0]) {
  const clock = { ms: 0 };
  const engine = new ScriptedEngine(script);
  const { app, scheduler } = buildTestApp(engine, {
    todos: storeInMemory(),
    keyLines: [`k name=alice ${attributes}`, "other name=bob"],
    now: () => clock.ms,
  });
  onTestFinished(async () => {
    scheduler.endAll();
    await app.close();
  });
  const send = async (method: "GET" | "POST", url: string, payload?: object, key = "k") =>
    app.inject({ method, url, headers: { "x-api-key": key }, ...(payload && { payload }) });
  return { app, clock, engine, send };
}

const answering = () => ({ parts: ["a", "b", "c"] });

describe("requests per minute", () => {
  test("count every request of the key and are reported with each answer", async () => {
    const { send } = appWith("requests-per-minute=2", answering);
    const first = await send("GET", "/v1/models");
    expect(first.headers).toMatchObject({
      "x-ratelimit-limit-requests": "2",
      "x-ratelimit-remaining-requests": "1",
      "x-ratelimit-reset-requests": "30s",
    });
    expect(first.headers).not.toHaveProperty("x-ratelimit-limit-tokens");
    const last = await send(...completion);
    expect(last.headers).toMatchObject({
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1m0s",
    });
  });

  test("above the limit are answered 429 until a request is available again", async () => {
    const { send, clock } = appWith("requests-per-minute=2", answering);
    await send(...completion);
    await send(...completion);
    clock.ms = 1000;
    const refused = await send(...completion);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers).toMatchObject({
      "retry-after": "29",
      "x-ratelimit-remaining-requests": "0",
    });
    expect(refused.json().error).toMatchObject({
      code: "rate_limit_exceeded",
      type: "rate_limit_error",
      message:
        "requests-per-minute: expected at most 2 in a minute with the API key alice, got more.",
    });
    clock.ms = 30_000;
    expect((await send(...completion)).statusCode).toBe(200);
  });

  test("are counted separately for each key, and not for keys without limits", async () => {
    const { send } = appWith("requests-per-minute=1", answering);
    await send("GET", "/v1/models");
    expect((await send("GET", "/v1/models")).statusCode).toBe(429);
    for (let count = 0; count < 3; count++) {
      const { statusCode, headers } = await send("GET", "/v1/models", undefined, "other");
      expect(statusCode).toBe(200);
      expect(Object.keys(headers).filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
    }
  });

  test("are not consumed by rejected requests or open routes", async () => {
    const { send } = appWith("requests-per-minute=1 scopes=todos", answering);
    for (let count = 0; count < 3; count++) {
      expect((await send(...completion)).statusCode).toBe(403);
      expect((await send("GET", "/health")).statusCode).toBe(200);
    }
    expect((await send("GET", "/v1/todos")).statusCode).toBe(200);
    expect((await send("GET", "/v1/todos")).statusCode).toBe(429);
  });
});

test("requests that arrive while the model is loading are not counted", async () => {
  const { app, model } = buildLoadingApp({
    keyLines: ["k name=alice requests-per-minute=2"],
    now: () => 0,
  });
  onTestFinished(() => app.close());
  const list = () => app.inject({ url: "/v1/models", headers: { "x-api-key": "k" } });
  for (let count = 0; count < 4; count++) {
    const { statusCode, headers } = await list();
    expect(statusCode).toBe(503);
    expect(headers["x-ratelimit-remaining-requests"]).toBe("2");
  }
  finishLoading(model, servedModel(ALIAS));
  expect([await list(), await list(), await list()].map((one) => one.statusCode)).toEqual([
    ...[200, 200, 429],
  ]);
});

describe("tokens per minute", () => {
  test("count prompt and completion tokens, which may exceed the limit once", async () => {
    const { send, clock } = appWith("tokens-per-minute=6", answering);
    const first = await send(...completion);
    expect(first.statusCode).toBe(200);
    expect(first.headers).toMatchObject({
      "x-ratelimit-limit-tokens": "6",
      "x-ratelimit-remaining-tokens": "6",
      "x-ratelimit-reset-tokens": "0s",
    });
    // 5 prompt and 3 completion tokens: the debt is 2, and one more is needed.
    const refused = await send(...completion);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers).toMatchObject({
      "retry-after": "30",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "1m20s",
    });
    expect(refused.json().error.message).toBe(
      "tokens-per-minute: expected at most 6 in a minute with the API key alice, got more.",
    );
    clock.ms = 30_000;
    expect((await send(...completion)).statusCode).toBe(200);
  });

  test("when exhausted reject only requests to models", async () => {
    const { send } = appWith("tokens-per-minute=6", answering);
    const { id } = (await send("POST", "/v1/responses", { input: "12345" })).json();
    expect((await send("POST", "/v1/responses", { input: "12345" })).statusCode).toBe(429);
    for (const url of [`/v1/responses/${id}`, "/v1/models", "/v1/todos"])
      expect((await send("GET", url)).statusCode).toBe(200);
  });

  test("when far exceeded are answered with a Retry-After of at most a minute", async () => {
    const { send } = appWith("tokens-per-minute=1", answering);
    await send(...completion);
    const refused = await send(...completion);
    expect(refused.headers).toMatchObject({
      "retry-after": "60",
      "x-ratelimit-reset-tokens": "8m0s",
    });
  });
});

describe("concurrent requests", () => {
  const slow = (until: Promise<void>) => () => ({ parts: ["a"], before: () => until });

  test("above the limit are answered 429 until a running request has ended", async () => {
    const { promise, resolve } = deferred();
    const { send } = appWith("concurrent=1", slow(promise));
    const running = send(...completion);
    const refused = await send(...completion);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers["retry-after"]).toBe("1");
    expect(refused.json().error.message).toBe(
      "concurrent: expected at most 1 at once with the API key alice, got more.",
    );
    expect((await send("GET", "/v1/models")).statusCode).toBe(200);
    expect((await send("POST", "/v1/responses/input_tokens", { input: "a" })).statusCode).toBe(200);
    resolve();
    expect((await running).statusCode).toBe(200);
    expect((await send(...completion)).statusCode).toBe(200);
  });

  test("are released by requests that are rejected later", async () => {
    const { send } = appWith("concurrent=1", answering);
    for (let count = 0; count < 3; count++) {
      expect((await send("POST", "/v1/chat/completions", { messages: 1 })).statusCode).toBe(400);
      expect(
        (await send("POST", "/v1/responses", { input: "x".repeat(200), background: true }))
          .statusCode,
      ).toBe(400);
    }
    expect((await send(...completion)).statusCode).toBe(200);
  });

  test("include a background response until it ends, while reading and cancelling it stay possible", async () => {
    const { send } = appWith("concurrent=1", () => ({ parts: ["a"], ending: "never" }));
    const begun = await send("POST", "/v1/responses", { input: "Hi", background: true });
    const { id } = begun.json();
    expect((await send(...completion)).statusCode).toBe(429);
    expect((await send("GET", `/v1/responses/${id}`)).statusCode).toBe(200);
    expect((await send("POST", `/v1/responses/${id}/cancel`)).statusCode).toBe(200);
    const next = await send("POST", "/v1/responses", { input: "Hi", background: true });
    expect(next.statusCode).toBe(200);
  });
});

describe("an exceeded limit in the error format of each dialect", () => {
  const limited = () => appWith("requests-per-minute=1", answering);
  const message =
    "requests-per-minute: expected at most 1 in a minute with the API key alice, got more.";

  test.each([
    ["/v1/messages", { type: "error", error: { type: "rate_limit_error", message } }],
    ["/api/chat", { error: message }],
    ["/v1/todos", { error: { code: "RATE_LIMIT_EXCEEDED", message } }],
    [
      "/v1/responses",
      { error: { code: "rate_limit_exceeded", type: "rate_limit_error", message } },
    ],
  ])("%s", async (url, body) => {
    const { send } = limited();
    await send("GET", "/v1/models");
    const refused = await send("POST", url, {});
    expect(refused.statusCode).toBe(429);
    expect(refused.headers["retry-after"]).toBe("60");
    expect(refused.json()).toMatchObject(body);
  });
});
