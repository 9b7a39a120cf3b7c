/** Requests of clients that cannot run here, in the shapes that their documentation and sources show. */
import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { eventData, eventJson } from "../support/server-sent-events.js";
import { buildTestApp } from "../support/test-app.js";

const script = () => ({ parts: ["One", " two", " three"], ending: "length" as const });

async function post(url: string, payload: object) {
  const { app } = buildTestApp(new ScriptedEngine(script, { rawScript: script }));
  const response = await app.inject({
    method: "POST",
    url,
    payload,
    headers: { authorization: "Bearer none" },
  });
  expect(response.statusCode, response.body).toBe(200);
  return response;
}

interface Chunk {
  readonly choices: readonly { readonly text?: string; readonly delta?: { content?: string } }[];
  readonly usage?: { readonly completion_tokens: number } | null;
}

const messages = [{ role: "user", content: "Count." }];

describe("vllm bench serve", () => {
  it("measures completions", async () => {
    const { body } = await post("/v1/completions", {
      model: "scripted",
      prompt: "Count.",
      temperature: 0.0,
      repetition_penalty: 1.0,
      max_tokens: 3,
      logprobs: null,
      stream: true,
      stream_options: { include_usage: true },
      ignore_eos: true,
    });
    const chunks = eventJson<Chunk>(body);
    expect(chunks.flatMap(({ choices }) => choices.map(({ text }) => text)).join("")).toBe(
      "One two three",
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
    expect(eventData(body).at(-1)).toBe("[DONE]");
  });

  it("measures chats", async () => {
    const { body } = await post("/v1/chat/completions", {
      model: "scripted",
      messages: [{ role: "user", content: [{ type: "text", text: "Count." }] }],
      temperature: 0.0,
      max_completion_tokens: 3,
      stream: true,
      stream_options: { include_usage: true },
      ignore_eos: true,
    });
    expect(eventJson<Chunk>(body).at(-1)).toMatchObject({ usage: { completion_tokens: 3 } });
  });
});

it("guidellm has the usage in every chunk", async () => {
  const { body } = await post("/v1/completions", {
    model: "scripted",
    prompt: "Count.",
    stream: true,
    stream_options: { include_usage: true, continuous_usage_stats: true },
    max_tokens: 3,
    max_completion_tokens: 3,
    stop: null,
    ignore_eos: true,
  });
  const counts = eventJson<Chunk>(body).map(({ usage }) => usage?.completion_tokens);
  expect(counts).toEqual([1, 2, 3, 3, 3]);
});

it("genai-perf asks for as many tokens as it wants", async () => {
  const { body } = await post("/v1/chat/completions", {
    model: "scripted",
    messages,
    stream: true,
    max_tokens: 3,
    min_tokens: 3,
    ignore_eos: true,
  });
  expect(eventJson<Chunk>(body).flatMap(({ choices }) => choices)).toHaveLength(4);
});

it("aider and LiteLLM get a chat with what they add", async () => {
  const response = await post("/v1/chat/completions", {
    model: "scripted",
    messages: [{ role: "system", content: "Be brief." }, ...messages],
    temperature: 0,
    stream: false,
    n: 1,
    extra_headers: {},
    drop_params: true,
    user: "someone",
  });
  expect(response.json()).toMatchObject({ choices: [{ finish_reason: "length" }] });
});

it("Open WebUI gets the models and a chat by Ollama's interface", async () => {
  const { app } = buildTestApp(new ScriptedEngine(script));
  const { models } = (await app.inject("/api/tags")).json();
  expect(models).toMatchObject([{ model: expect.stringContaining("scripted") }]);
  const { body } = await post("/api/chat", {
    model: models[0].model,
    messages,
    options: { temperature: 0.7, num_ctx: 2048 },
    stream: true,
    keep_alive: "5m",
  });
  expect(JSON.parse(body.trim().split("\n").at(-1) ?? "")).toMatchObject({
    done: true,
    done_reason: "length",
    eval_count: 3,
  });
});

it("Home Assistant calls tools by Ollama's interface", async () => {
  const call = { id: "call_1", name: "HassTurnOn", arguments: '{"name":"lamp"}' };
  const { app } = buildTestApp(
    new ScriptedEngine(() => ({ parts: [{ call }], ending: "tool-calls" })),
  );
  const response = await app.inject({
    method: "POST",
    url: "/api/chat",
    payload: {
      model: "scripted:latest",
      messages: [{ role: "system", content: "You control a home." }, ...messages],
      tools: [
        {
          type: "function",
          function: {
            name: "HassTurnOn",
            description: "Turns on a device",
            parameters: { type: "object", properties: { name: { type: "string" } } },
          },
        },
      ],
      stream: true,
      keep_alive: "-1s",
      options: { num_ctx: 8192 },
    },
  });
  expect(response.statusCode, response.body).toBe(200);
  expect(response.body).toContain('"tool_calls":[{');
  expect(response.body).toContain('"arguments":{"name":"lamp"}');
});
