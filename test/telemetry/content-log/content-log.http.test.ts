import { describe, expect, it, onTestFinished } from "vitest";
import { createContentReporter } from "../../../src/telemetry/content-log/content-log.js";
import { recordRequests } from "../../../src/telemetry/record-requests.js";
import { formPayload } from "../../support/form-payload.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { buildTestApp } from "../../support/test-app.js";

function prepare(script: Script = { parts: ["Hello", " there"] }) {
  const written: string[] = [];
  const { app } = buildTestApp(new ScriptedEngine(() => script, { media: ["image", "audio"] }), {
    keyLines: ["a-key name=alice", "b-key name=bob log-content=off"],
    todos: storeInMemory(),
    observers: [recordRequests([createContentReporter({ write: (line) => written.push(line) })])],
    observesBodies: true,
  });
  onTestFinished(() => app.close());
  const post = (url: string, payload: object, key = "a-key") =>
    app.inject({ method: "POST", url, payload, headers: { authorization: `Bearer ${key}` } });
  /** Parsed lines; each must end with its only line break. */
  const lines = () =>
    written.map((line) => {
      expect(line.indexOf("\n")).toBe(line.length - 1);
      return JSON.parse(line);
    });
  return { app, post, lines, written };
}

const messages = [{ role: "user", content: "Hi\u2028\n" }];

describe("the log of prompts and answers", () => {
  it.each([
    ["/v1/chat/completions", { messages }],
    ["/v1/chat/completions", { messages, stream: true }],
    ["/v1/messages", { messages, max_tokens: 50 }],
    ["/v1/responses", { input: "Hi" }],
    ["/api/chat", { model: "scripted", messages }],
  ])("has the request and the answer of %s: %j", async (url, payload) => {
    const { post, lines } = prepare();
    const { headers } = await post(url, payload);
    const [line, ...others] = lines();
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      request_id: headers["x-request-id"],
      key: "alice",
      method: "POST",
      route: url,
      model: "scripted",
      status: 200,
      request: payload,
      answers: [{ text: "Hello there", finish_reason: "stop", completion_tokens: 2 }],
    });
    expect(Math.abs(Date.parse(line.time) - Date.now())).toBeLessThan(60_000);
  });

  it("has reasoning, tool calls and all answers of a request", async () => {
    const { post, lines } = prepare({
      parts: [
        { reasoning: "Hm." },
        "Look: ",
        { call: { id: "c1", name: "find", arguments: ['{"q":', '"a"}'] } },
      ],
      ending: "tool-calls",
    });
    const tools = [{ type: "function", function: { name: "find" } }];
    await post("/v1/chat/completions", { messages, tools, n: 2 });
    const answer = {
      text: "Look: ",
      reasoning: "Hm.",
      tool_calls: [{ name: "find", arguments: '{"q":"a"}' }],
      finish_reason: "tool_calls",
    };
    expect(lines()[0].answers).toMatchObject([answer, answer]);
  });

  it("has the hash of an image or a file of a form instead of its bytes", async () => {
    const { post, app, lines, written } = prepare();
    const png = Buffer.from("not really an image").toString("base64");
    const url = `data:image/png;base64,${png}`;
    const content = [{ type: "image_url", image_url: { url } }];
    await post("/v1/chat/completions", { messages: [{ role: "user", content }] });
    expect(lines()[0].request.messages[0].content[0].image_url.url).toMatch(
      /^\[image\/png, 19 bytes, sha256:[\da-f]{64}\]$/,
    );
    const form = await formPayload({ model: "scripted", file: new Blob(["audio!"]) });
    await app.inject({
      method: "POST",
      url: "/v1/audio/transcriptions",
      payload: form.payload,
      headers: { ...form.headers, authorization: "Bearer a-key" },
    });
    expect(lines()[1].request.file.bytes).toMatch(/^\[file, 6 bytes, sha256:/);
    expect(written.join()).not.toContain(png);
  });

  it("has invalid requests and failures, with the error", async () => {
    const { post, lines } = prepare();
    await post("/v1/chat/completions", { messages, temperature: "warm" });
    expect(lines()).toMatchObject([
      { status: 400, error: "invalid_request", request: { temperature: "warm" }, answers: [] },
    ]);
  });

  it("leaves out keys that have opted out, requests without permission, and to-dos", async () => {
    const { post, lines } = prepare();
    expect((await post("/v1/chat/completions", { messages }, "b-key")).statusCode).toBe(200);
    expect((await post("/v1/chat/completions", { messages }, "unknown")).statusCode).toBe(401);
    expect((await post("/v1/todos", { title: "secret" })).statusCode).toBe(201);
    expect(lines()).toEqual([]);
  });

  it("never has keys or headers", async () => {
    const { app, written } = prepare();
    await app.inject({
      method: "POST",
      url: "/v1/chat/completions?token=hush-query",
      payload: { messages },
      headers: { "x-api-key": "a-key", cookie: "hush-cookie", "x-forwarded-user": "hush-user" },
    });
    expect(written).toHaveLength(1);
    expect(written.join()).not.toContain("a-key");
    expect(written.join()).not.toContain("hush");
  });
});

describe("a server without the log", () => {
  it("passes no bodies to observers", async () => {
    const bodies: unknown[] = [];
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), {
      observers: [
        {
          begin: () => ({
            observe: () => undefined,
            receiveBody: (body: unknown) => bodies.push(body),
            end: () => undefined,
          }),
        },
      ],
    });
    onTestFinished(() => app.close());
    await app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages } });
    expect(bodies).toEqual([]);
  });
});
