import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { embeddingModel, ScriptedPooling, vectorOfText } from "../support/scripted-pooling.js";
import { buildTestApp } from "../support/test-app.js";

const SECONDS = 10;
const message = "The answer was not complete within 10 seconds (--request-timeout).";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function appWith(script: () => Script, { seconds = SECONDS, slots = 1 } = {}) {
  const engine = new ScriptedEngine(script, { slots, rawScript: script });
  const { app } = buildTestApp(engine, { edge: { requestTimeout: seconds } });
  await app.ready();
  return { app, engine };
}

const never = (): Script => ({ parts: ["a"], ending: "never" });
const silent = (): Script => ({ parts: [], ending: "never" });
const messages = [{ role: "user", content: "Hi" }];
const chat = (body: object = {}) => ({
  method: "POST" as const,
  url: "/v1/chat/completions",
  payload: { messages, ...body },
});

/** Lets pending work proceed without advancing the clock. */
const settled = (check: () => void) => vi.waitFor(check, { interval: 0, timeout: 30_000 });

describe("an answer that exceeds the time limit", () => {
  it.each([
    ["/v1/chat/completions", { messages }, { error: { code: "answer_timeout", message } }],
    ["/v1/completions", { prompt: "Hi" }, { error: { code: "answer_timeout", message } }],
    ["/v1/messages", { messages, max_tokens: 5 }, { error: { type: "timeout_error", message } }],
    ["/api/chat", { model: "scripted", messages, stream: false }, { error: message }],
    ["/api/chat", { model: "scripted", messages }, { error: message }],
  ])("ends with 504 at %s, before its first byte", async (url, payload, body) => {
    const { app, engine } = await appWith(silent);
    const answer = app.inject({ method: "POST", url, payload });
    await settled(() => expect(engine.started).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(SECONDS * 1000);
    const response = await answer;
    expect(response.statusCode).toBe(504);
    expect(response.json()).toMatchObject(body);
    expect(engine.cancelled).toEqual(engine.started);
  });

  it("ends with one error event if its stream has begun", async () => {
    const { app, engine } = await appWith(never);
    const answer = app.inject(chat({ stream: true }));
    await settled(() => expect(engine.started).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(SECONDS * 1000);
    const response = await answer;
    expect(response.statusCode).toBe(200);
    const events = response.body.trimEnd().split("\n\n");
    expect(events).toHaveLength(2);
    expect(events[0]).toContain('"content":"a"');
    expect(JSON.parse(events[1]?.slice("data: ".length) ?? "")).toMatchObject({
      error: { code: "answer_timeout", type: "server_error", message },
    });
    expect(engine.cancelled).toEqual(engine.started);
  });

  it("leaves the queue if its generation has not started", async () => {
    const { app, engine } = await appWith(never, { slots: 1 });
    const answer = app.inject(chat({ n: 2 }));
    await settled(() => expect(engine.started).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(SECONDS * 1000);
    expect((await answer).statusCode).toBe(504);
    expect(engine.started).toHaveLength(1);
    expect(engine.cancelled).toEqual(engine.started);
  });

  it("ends while waiting for embeddings", async () => {
    const pooling = new ScriptedPooling({ vectorOf: vectorOfText, endingOf: () => "never" });
    const embedding = embeddingModel(pooling);
    const { app } = buildTestApp(new ScriptedEngine(never), {
      edge: { requestTimeout: SECONDS },
      otherModels: [embedding],
    });
    await app.ready();
    const answer = app.inject({
      method: "POST",
      url: "/v1/embeddings",
      payload: { model: embedding.alias, input: "Hi" },
    });
    await settled(() => expect(pooling.requests).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(SECONDS * 1000);
    const response = await answer;
    expect([response.statusCode, response.json().error.code]).toEqual([504, "answer_timeout"]);
    expect(pooling.aborted).toHaveLength(1);
  });

  it("fails a background response", async () => {
    const { app, engine } = await appWith(never);
    const created = await app.inject({
      method: "POST",
      url: "/v1/responses",
      payload: { input: "Hi", background: true },
    });
    expect(created.json()).toMatchObject({ status: "queued" });
    await settled(() => expect(engine.started).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(SECONDS * 1000);
    const found = await app.inject({ url: `/v1/responses/${created.json().id}` });
    expect(found.json()).toMatchObject({ status: "failed", error: { message } });
    expect(engine.cancelled).toEqual(engine.started);
  });
});

describe("an answer within the time limit", () => {
  it("is complete, and its timer is stopped", async () => {
    const { app } = await appWith(() => ({ parts: ["a"] }));
    expect((await app.inject(chat())).statusCode).toBe(200);
    expect((await app.inject(chat({ stream: true }))).body).toContain("data: [DONE]");
    await settled(() => expect(vi.getTimerCount()).toBe(0));
  });
});

it("without a time limit, the default, an answer may take any time", async () => {
  const { app, engine } = await appWith(never, { seconds: 0 });
  let ended = false;
  void app.inject(chat()).then(() => {
    ended = true;
  });
  await settled(() => expect(engine.started).toHaveLength(1));
  await vi.advanceTimersByTimeAsync(86_400_000);
  expect([ended, engine.cancelled]).toEqual([false, []]);
  await engine.close();
});
