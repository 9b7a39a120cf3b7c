import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { chatLine } from "../../support/batch-options.js";
import { eventually } from "../../support/eventually.js";
import { formPayload } from "../../support/form-payload.js";
import { deferred, ScriptedEngine } from "../../support/scripted-engine.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { openStoredBatches } from "../../support/stored-batches.js";
import { buildTestApp } from "../../support/test-app.js";

const NOW = Date.parse("2026-05-20T23:00:00Z");
const messages = [{ role: "user", content: "12345" }];
const completion = ["POST", "/v1/chat/completions", { messages }] as const;
const answering = () => ({ parts: ["a", "b", "c"] });

/** Application with the keys `k` and `other`, whose wall clock is stopped. */
function appWith(
  attributes: string,
  script: ConstructorParameters<typeof ScriptedEngine>[0] = answering,
  moreLines: readonly string[] = ["other name=bob"],
) {
  const clock = { ms: NOW };
  const engine = new ScriptedEngine(script, { rawScript: answering, slots: 200 });
  const { app, scheduler } = buildTestApp(engine, {
    todos: storeInMemory(),
    keyLines: [`k name=alice ${attributes}`, ...moreLines],
    now: () => 0,
    epochNow: () => clock.ms,
  });
  onTestFinished(async () => {
    scheduler.endAll();
    await app.close();
  });
  const send = async (method: "GET" | "POST", url: string, payload?: object, key = "k") =>
    app.inject({ method, url, headers: { "x-api-key": key }, ...(payload && { payload }) });
  const budgets = async (key = "k") =>
    (await send("GET", "/v1/key", undefined, key)).json().budgets;
  return { app, clock, engine, send, budgets };
}

const refusal =
  "tokens-per-day: expected at most 16 tokens in a UTC day with the API key alice, used 16; it renews at 2026-05-21T00:00:00Z.";

describe("a key whose budget is used up", () => {
  // 5 prompt and 3 completion tokens each.
  test("gets 429 until the budget is renewed, and may use routes without a model", async () => {
    const { send, clock } = appWith("tokens-per-day=16");
    for (let count = 0; count < 2; count++) {
      expect((await send(...completion)).statusCode).toBe(200);
    }
    const refused = await send(...completion);
    expect(refused.statusCode).toBe(429);
    expect(refused.json().error).toMatchObject({
      message: refusal,
      type: "insufficient_quota",
      param: null,
      code: "insufficient_quota",
    });
    expect(refused.headers).toMatchObject({ "retry-after": "3600", "x-should-retry": "false" });
    expect((await send("GET", "/v1/models")).statusCode).toBe(200);
    expect((await send("GET", "/v1/todos")).statusCode).toBe(200);
    clock.ms += 3_600_000;
    expect((await send(...completion)).statusCode).toBe(200);
  });

  test.each([
    ["/v1/chat/completions", { error: { code: "insufficient_quota", message: refusal } }],
    ["/v1/responses", { error: { code: "insufficient_quota", message: refusal } }],
    ["/v1/embeddings", { error: { code: "insufficient_quota", message: refusal } }],
    ["/completion", { error: { code: "insufficient_quota", message: refusal } }],
    ["/v1/messages", { type: "error", error: { type: "rate_limit_error", message: refusal } }],
    ["/api/chat", { error: refusal }],
    ["/api/embed", { error: refusal }],
  ])("gets the error in the format of %s, before the body is read", async (url, body) => {
    const { send } = appWith("tokens-per-day=16");
    for (let count = 0; count < 2; count++) await send(...completion);
    const refused = await send("POST", url, {});
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject(body);
  });

  test("does not affect other keys", async () => {
    const { send } = appWith("requests-per-month=1");
    expect((await send(...completion)).statusCode).toBe(200);
    expect((await send(...completion)).statusCode).toBe(429);
    expect((await send(...completion, "other")).statusCode).toBe(200);
  });
});

test("keys of a group share its budget, also with those of the key", async () => {
  const lines = ["b name=bob group=team", "group:team tokens-per-day=20"];
  const { send, budgets } = appWith("group=team tokens-per-day=9", answering, lines);
  expect((await send(...completion)).statusCode).toBe(200);
  expect((await send(...completion, "b")).statusCode).toBe(200);
  expect((await send(...completion)).statusCode).toBe(200);
  expect(await budgets()).toMatchObject([
    { owner: "key", unit: "tokens", period: "day", limit: 9, used: 16 },
    { owner: "group", unit: "tokens", period: "day", limit: 20, used: 24 },
  ]);
  expect(await budgets("b")).toMatchObject([{ owner: "group", used: 24 }]);
  const refused = await send(...completion, "b");
  expect(refused.statusCode).toBe(429);
  expect(refused.json().error.message).toMatch(/with the group team, used 24; /);
});

test("GET /v1/key describes the permissions and budgets of the key", async () => {
  const { send } = appWith(
    "models=scr* adapters=none max-context=50 max-tokens=20 priority-ceiling=3 group=team requests-per-day=5",
    answering,
    ["group:team"],
  );
  expect((await send("GET", "/v1/key")).json()).toMatchObject({
    name: "alice",
    group: "team",
    models: ["scr*"],
    adapters: [],
    max_context: 50,
    max_tokens: 20,
    priority_ceiling: 3,
    budgets: [
      {
        owner: "key",
        unit: "requests",
        period: "day",
        limit: 5,
        used: 0,
        reserved: 0,
        renews_at: Date.parse("2026-05-21") / 1000,
      },
    ],
  });
});

describe("the rate limit headers", () => {
  const headersOf = async (attributes: string) => {
    const { send } = appWith(attributes);
    await send(...completion);
    return (await send("GET", "/v1/models")).headers;
  };

  test("have the budget if it is the nearest limit", async () => {
    expect(await headersOf("tokens-per-day=100 tokens-per-minute=1000")).toMatchObject({
      "x-ratelimit-limit-tokens": "100",
      "x-ratelimit-remaining-tokens": "92",
      "x-ratelimit-reset-tokens": "1h0m0s",
    });
  });

  test("have the limit per minute if it is nearer", async () => {
    expect(await headersOf("tokens-per-day=1000 tokens-per-minute=100")).toMatchObject({
      "x-ratelimit-limit-tokens": "100",
      "x-ratelimit-remaining-tokens": "92",
    });
  });

  test("have the nearest one of several budgets", async () => {
    expect(await headersOf("requests-per-day=7 requests-per-month=3")).toMatchObject({
      "x-ratelimit-limit-requests": "3",
      "x-ratelimit-remaining-requests": "2",
      "x-ratelimit-reset-requests": "265h0m0s",
    });
  });
});

test("100 parallel requests exceed a budget by less than the tokens that one may have", async () => {
  const { promise: allRefused, resolve } = deferred();
  const { send, budgets } = appWith("tokens-per-day=100", () => ({
    parts: ["a", "b", "c", "d"],
    before: () => allRefused,
  }));
  const body = { messages, max_tokens: 10 };
  let refusals = 0;
  const running = Array.from({ length: 100 }, async () => {
    const answer = await send("POST", "/v1/chat/completions", body);
    // Seven requests reserve 15 tokens each.
    if (answer.statusCode === 429 && ++refusals === 93) resolve();
    return answer;
  });
  const answers = await Promise.all(running);
  const refused = answers.filter(({ statusCode }) => statusCode === 429);
  for (const { headers, json } of refused) {
    expect(json().error.code).toBe("rate_limit_exceeded");
    expect(headers["retry-after"]).toBe("5");
    expect(headers).not.toHaveProperty("x-should-retry");
  }
  const sum = answers
    .filter(({ statusCode }) => statusCode === 200)
    .reduce((total, answer) => total + answer.json().usage.total_tokens, 0);
  expect(sum).toBe(63);
  expect(await budgets()).toMatchObject([{ used: 63, reserved: 0 }]);
});

test("an answer that its client abandons is counted with the tokens that it had", async () => {
  const { app, engine, budgets } = appWith("tokens-per-day=100", () => ({
    parts: ["a", "b"],
    ending: "never",
  }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  // An aborted fetch opens another connection, for which the server would wait at its end.
  onTestFinished(() => app.server.closeAllConnections());
  const { port } = app.server.address() as AddressInfo;
  const controller = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-api-key": "k", "content-type": "application/json" },
    body: JSON.stringify({ messages, stream: true }),
    signal: controller.signal,
  });
  expect(answer.status).toBe(200);
  expect(engine.started).toHaveLength(1);
  expect(await budgets()).toMatchObject([{ used: 0, reserved: 100 }]);
  controller.abort();
  await eventually(async () => expect(await budgets()).toMatchObject([{ used: 7, reserved: 0 }]));
});

test("a batch waits while the budget of its key is used up", async () => {
  const { batches } = await openStoredBatches();
  const clock = { ms: NOW };
  const engine = new ScriptedEngine(answering);
  const { app } = buildTestApp(engine, {
    batches,
    keyLines: ["k name=alice tokens-per-day=8"],
    epochNow: () => clock.ms,
  });
  onTestFinished(() => app.close());
  const headers = { "x-api-key": "k" };
  const form = await formPayload({
    purpose: "batch",
    file: new Blob([["a", "b"].map((id) => chatLine(id, "12345")).join("\n")]),
  });
  const { id: input_file_id } = (
    await app.inject({
      method: "POST",
      url: "/v1/files",
      headers: { ...form.headers, ...headers },
      payload: form.payload as Buffer,
    })
  ).json();
  const created = await app.inject({
    method: "POST",
    url: "/v1/batches",
    headers,
    payload: { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" },
  });
  const read = async () =>
    (await app.inject({ url: `/v1/batches/${created.json().id}`, headers })).json();
  await eventually(async () =>
    expect((await read()).request_counts).toMatchObject({ total: 2, completed: 1 }),
  );
  expect((await read()).status).toBe("in_progress");
  expect(engine.started).toHaveLength(1);
});
