import { describe, expect, it } from "vitest";
import { collectPathsByFormat } from "../../../src/api/llama-server/predict-routes.js";
import { runApp } from "../../support/running-app.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const engine = () => new ScriptedEngine(() => ({ parts: ["Hi", "!"] }));

async function predict(payload: object, options?: TestAppOptions, headers?: object) {
  const { app } = buildTestApp(engine(), options);
  const url = "/predict";
  const response = await app.inject({ method: "POST", url, payload, headers: { ...headers } });
  return { status: response.statusCode, body: response.json() };
}

const chat = {
  "@requestFormat": "chatCompletions",
  messages: [{ role: "user", content: "Hello" }],
};

describe("request formats of POST /predict", () => {
  const route = (path: string, method: "GET" | "POST" = "POST") => ({
    method,
    path,
    access: { needs: "nothing" } as const,
    description: undefined,
    handle: async () => undefined,
  });

  it("are route paths and their camel-case names, with /v1 routes taking precedence", () => {
    const paths = collectPathsByFormat([
      {
        routes: [
          route("/v1/chat/completions"),
          route("/v1/completions"),
          route("/completions"),
          route("/apply-template"),
          route("/slots/{id}"),
          route("/props", "GET"),
        ],
      },
      { prefix: "/v1/messages", routes: [route(""), route("/count_tokens")] },
    ]);
    expect(Object.fromEntries(paths)).toEqual({
      chatCompletions: "/v1/chat/completions",
      completions: "/v1/completions",
      applyTemplate: "/apply-template",
      messages: "/v1/messages",
      messagesCountTokens: "/v1/messages/count_tokens",
      "/v1/chat/completions": "/v1/chat/completions",
      "/v1/completions": "/v1/completions",
      "/completions": "/completions",
      "/apply-template": "/apply-template",
      "/v1/messages": "/v1/messages",
      "/v1/messages/count_tokens": "/v1/messages/count_tokens",
    });
  });
});

describe("instances of POST /predict", () => {
  it("are answered in order by the routes they name, without streaming", async () => {
    const instances = [
      { "@requestFormat": "/detokenize", tokens: [97] },
      { ...chat, stream: true },
      { "@requestFormat": "/v1/chat/completions", messages: chat.messages },
      { "@requestFormat": "messages", model: "scripted", max_tokens: 5, messages: chat.messages },
      { "@requestFormat": "responses", input: "Hello" },
    ];
    const { status, body } = await predict({ instances, parameters: {} });
    expect(status).toBe(200);
    expect(body.predictions).toMatchObject([
      { content: "a" },
      { choices: [{ message: { role: "assistant", content: "Hi!" } }] },
      { choices: [{ message: { content: "Hi!" } }] },
      { content: [{ text: "Hi!" }] },
      { output: [{ content: [{ text: "Hi!" }] }] },
    ]);
  });

  it("may be an empty list", async () => {
    expect((await predict({ instances: [] })).body).toEqual({ predictions: [] });
  });

  it.each<[string, unknown, string, string]>([
    ["that are not objects", "x", "instances.0", 'expected a JSON object, got "x"'],
    ["without a route", { prompt: "x" }, "instances.0.@requestFormat", "got nothing"],
    [
      "of an unknown route",
      { "@requestFormat": "fly" },
      "instances.0.@requestFormat",
      'expected a route, such as "chatCompletions" or "/v1/embeddings", got "fly"',
    ],
    [
      "that name /predict itself",
      { "@requestFormat": "/predict" },
      "instances.0.@requestFormat",
      'got "/predict"',
    ],
    ["that the route rejects", { ...chat, messages: [] }, "messages", "at least one message"],
  ])("%s result in an error as their prediction", async (_, instance, param, reason) => {
    const { status, body } = await predict({ instances: [instance, chat] });
    expect(status).toBe(200);
    expect(body.predictions).toMatchObject([
      { error: { param, message: expect.stringContaining(reason) } },
      { choices: [{ message: { content: "Hi!" } }] },
    ]);
  });

  it.each([
    [{}, "instances: expected an array of instances, got nothing"],
    [{ instances: {} }, "instances: expected an array of instances, got {}"],
    [
      { instances: Array.from({ length: 129 }, () => 0) },
      "instances: expected at most 128 instances",
    ],
  ])("are rejected as a whole: %.40j", async (payload, message) => {
    const { status, body } = await predict(payload);
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
  });

  it("count as requests of the client's API key", async () => {
    const keyLines = ["sk-a name=alice scopes=inference requests-per-minute=2"];
    const { body } = await predict(
      { instances: [chat, chat, { "@requestFormat": "slots/0" }] },
      { keyLines },
      { authorization: "Bearer sk-a" },
    );
    expect(body.predictions.slice(0, 2)).toMatchObject([
      { choices: [{}] },
      { error: { code: "rate_limit_exceeded" } },
    ]);
  });

  it("are cancelled when the client disconnects", async () => {
    const waiting = new ScriptedEngine(() => ({ parts: [], ending: "never" }));
    const { url, close } = await runApp(waiting);
    const controller = new AbortController();
    const answer = fetch(`${url}/predict`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ instances: [chat, chat] }),
      signal: controller.signal,
    });
    await expect.poll(() => waiting.started.length).toBe(2);
    controller.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => waiting.cancelled.length).toBe(2);
    await close();
  });
});
