import { request } from "node:http";
import OpenAI from "openai";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import { afterEach, describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import { type RunningApp, runApp } from "../../support/running-app.js";
import {
  deferred,
  type Script,
  ScriptedEngine,
  type ScriptedEngineOptions,
} from "../../support/scripted-engine.js";
import { eventData, eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user" as const, content: "Hi" }];

function serve(scripts: readonly Script[], options: ScriptedEngineOptions & { maxQueue?: number }) {
  const engine = new ScriptedEngine((_, choice) => scripts[choice] ?? { parts: [] }, options);
  const { app } = buildTestApp(engine, { maxQueue: options.maxQueue ?? 100 });
  const post = (fields: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages, ...fields } });
  return { engine, post };
}

const two: readonly Script[] = [
  { parts: ["He", "llo"], ending: "length" },
  { parts: [{ reasoning: "Hm." }, "Good", " day", "!"] },
];

describe("a chat completion with several choices", () => {
  it("returns each choice with its message and finish reason", async () => {
    const { engine, post } = serve(two, {});
    const response = await post({ n: 2 });
    expect(response.json<ChatCompletion>().choices).toMatchObject([
      { index: 0, message: { content: "Hello" }, finish_reason: "length" },
      {
        index: 1,
        message: { content: "Good day!", reasoning_content: "Hm." },
        finish_reason: "stop",
      },
    ]);
    expect(engine.requests).toHaveLength(1);
  });

  it("counts the prompt once, and the tokens of all choices", async () => {
    const { post } = serve(two, {});
    const { usage, timings } = (await post({ n: 2 })).json();
    expect(usage).toMatchObject({
      prompt_tokens: 2,
      completion_tokens: 6,
      total_tokens: 8,
      prompt_tokens_details: { cached_tokens: 1 },
    });
    expect(timings).toMatchObject({
      cache_n: 1,
      prompt_n: 1,
      prompt_ms: 2,
      predicted_n: 6,
      predicted_ms: 6,
      predicted_per_second: (4 / 6) * 1000,
    });
  });

  it("orders choices by index, regardless of when they finish", async () => {
    const { promise, resolve } = deferred();
    const scripts = [
      { parts: ["a"], before: () => promise },
      { parts: ["b"], before: () => void resolve() },
    ];
    const { choices } = (await serve(scripts, {}).post({ n: 2 })).json<ChatCompletion>();
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, "a"],
      [1, "b"],
    ]);
  });

  it("allows up to 16 choices", async () => {
    const scripts = Array.from({ length: 16 }, (_, choice) => ({ parts: [`${choice}`] }));
    const { choices } = (await serve(scripts, { slots: 3 }).post({ n: 16 })).json<ChatCompletion>();
    expect(choices.map(({ message }) => message.content)).toEqual(
      scripts.map(({ parts }) => parts[0]),
    );
  });

  it.each([0, 17, 1.5, "2"])("is rejected if n is %j", async (n) => {
    const response = await serve([], {}).post({ n });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      error: { param: "n", message: expect.stringContaining("expected an integer from 1 to 16") },
    });
  });

  it.each([
    [{ n: 3, best_of: 3 }, 200],
    [{ n: 3, best_of: 1 }, 200],
    [{ n: 3, best_of: 4 }, 400],
    [{ best_of: 2 }, 400],
  ])("is rejected if best_of exceeds n: %j", async (fields, status) => {
    expect((await serve([], {}).post(fields)).statusCode).toBe(status);
  });

  it("is rejected as a whole if the queue cannot hold every choice", async () => {
    const { engine, post } = serve(two, { slots: 2, maxQueue: 1 });
    const response = await post({ n: 4, stream: true });
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBe("1");
    expect(engine.started).toEqual([]);
  });
});

describe("a streamed chat completion with several choices", () => {
  it("interleaves the chunks of the choices, each with its index, role and finish reason", async () => {
    const { post } = serve(two, {});
    const { body } = await post({ n: 2, stream: true });
    const chunks = eventJson<ChatCompletionChunk>(body);
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true);
    const ofChoice = (index: number) =>
      chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
    expect(ofChoice(0).map(({ delta, finish_reason }) => [delta, finish_reason])).toEqual([
      [{ role: "assistant", content: "He" }, null],
      [{ content: "llo" }, null],
      [{}, "length"],
    ]);
    expect(ofChoice(1).map(({ delta }) => delta)).toEqual([
      { role: "assistant", reasoning_content: "Hm." },
      { content: "Good" },
      { content: " day" },
      { content: "!" },
      {},
    ]);
    const order = chunks.map(({ choices }) => choices[0]?.index);
    expect(order.indexOf(1)).toBeLessThan(order.lastIndexOf(0));
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(eventData(body).at(-1)).toBe("[DONE]");
  });

  it("ends with the usage and timings of all choices, and reports timings per choice", async () => {
    const { post } = serve(two, {});
    const fields = { n: 2, stream: true, stream_options: { include_usage: true } };
    const chunks = eventJson<ChatCompletionChunk & { timings?: object }>((await post(fields)).body);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 2, completion_tokens: 6, total_tokens: 8 },
    });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.flatMap(({ timings }) => timings ?? [])).toMatchObject([
      { predicted_n: 2 },
      { predicted_n: 4 },
      { predicted_n: 6 },
    ]);
  });

  it("reports the total usage so far in every chunk with continuous_usage_stats", async () => {
    const { post } = serve(two, {});
    const options = { include_usage: true, continuous_usage_stats: true };
    const { body } = await post({ n: 2, stream: true, stream_options: options });
    const counts = eventJson<ChatCompletionChunk>(body).map(
      ({ usage }) => usage?.completion_tokens ?? 0,
    );
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(6);
  });

  it("ends with one error event and cancels the other choices if one fails", async () => {
    const scripts: readonly Script[] = [
      { parts: ["a"], ending: "never" },
      { parts: ["b"], ending: new GgufdError("internal_error", "It broke.") },
    ];
    const { engine, post } = serve(scripts, {});
    const { body } = await post({ n: 2, stream: true });
    const events = eventData(body);
    expect(events.slice(0, -1).every((event) => event.includes('"choices"'))).toBe(true);
    expect(JSON.parse(events.at(-1) ?? "")).toMatchObject({ error: { message: "It broke." } });
    expect(engine.cancelled).toEqual([engine.started[0]]);
  });
});

describe("a client that disconnects from a completion with several choices", () => {
  let server: RunningApp | undefined;
  afterEach(() => server?.close());

  it.each([true, false])(
    "cancels all of them, including queued ones (stream: %j)",
    async (stream) => {
      const engine = new ScriptedEngine(() => ({ parts: ["a"], ending: "never" }), { slots: 2 });
      server = await runApp(engine);
      const call = request(`${server.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        agent: false,
      });
      call.on("error", () => undefined);
      call.end(JSON.stringify({ messages, n: 4, stream }));
      await eventually(() => expect(engine.started).toHaveLength(2));
      call.destroy();
      await eventually(() => expect(engine.cancelled).toEqual(engine.started));
      expect(engine.started).toHaveLength(2);
    },
  );
});

describe("the OpenAI SDK's completion with several choices", () => {
  let server: RunningApp;
  afterEach(() => server.close());

  it("is the same with and without streaming", async () => {
    server = await runApp(new ScriptedEngine((_, choice) => two[choice] ?? { parts: [] }));
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
    const request = { model: "scripted", messages, n: 2 };
    const whole = await client.chat.completions.create(request);
    const stream = client.chat.completions.stream({
      ...request,
      stream_options: { include_usage: true },
    });
    const assembled = await stream.finalChatCompletion();
    const texts = ({ choices }: ChatCompletion) =>
      choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason]);
    expect(texts(assembled)).toEqual([
      [0, "Hello", "length"],
      [1, "Good day!", "stop"],
    ]);
    expect(texts(whole)).toEqual(texts(assembled));
    expect(assembled.usage).toEqual(whole.usage);
  });
});
