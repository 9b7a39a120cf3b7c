import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.js";
import { listening } from "../../support/raw-connection.js";
import { deferred, type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { eventData, eventJson } from "../../support/server-sent-events.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

function appWith(script: Script, options: TestAppOptions & { slots?: number } = {}) {
  const { slots = 2, ...appOptions } = options;
  const engine = new ScriptedEngine(() => script, { slots, rawScript: () => script });
  const { app } = buildTestApp(engine, appOptions);
  onTestFinished(() => app.close());
  return { app, engine };
}

const chat = { stream: true, messages: [{ role: "user", content: "Hi" }] };

/** Sends a streamed request over a connection, and disconnects once the answer has begun. */
async function begun(port: number, body: object = chat, path = "/v1/chat/completions") {
  const gone = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-conversation-id": "chat-1" },
    body: JSON.stringify(body),
    signal: gone.signal,
  });
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  gone.abort();
  return value?.length ?? 0;
}

const textOf = (body: string) =>
  eventJson<{ choices: { delta: { content?: string } }[] }>(body)
    .map(({ choices }) => choices[0]?.delta.content ?? "")
    .join("");

const routes = [
  ["/v1/chat/completions", chat],
  ["/v1/completions", { stream: true, prompt: "Hi" }],
  ["/completion", { stream: true, prompt: "Hi" }],
  ["/infill", { stream: true, input_prefix: "Hi", input_suffix: "" }],
  ["/v1/messages", { ...chat, max_tokens: 5 }],
] as const;

describe("a stream with X-Conversation-Id", () => {
  it.each(routes)("of %s can be read again from any offset", async (url, payload) => {
    const { app } = appWith({ parts: ["One", " two"] });
    const headers = { "x-conversation-id": "chat-1" };
    const sent = await app.inject({ method: "POST", url, headers, payload });
    expect(sent.statusCode).toBe(200);
    const again = await app.inject("/v1/stream?conv_id=chat-1");
    expect(again.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(again.body).toBe(sent.body);
    const later = await app.inject("/v1/stream?conv_id=chat-1&from=100");
    expect(later.body).toBe(sent.body.slice(100));
    expect((await app.inject("/v1/stream?conv_id=chat-1&from=100000")).body).toBe("");
  });

  it.each(routes)("of %s continues after its client has disconnected", async (path, body) => {
    const release = deferred();
    const { app, engine } = appWith({
      parts: ["One", " two"],
      before: (index) => (index === 1 ? release.promise : undefined),
    });
    const port = await listening(app);
    const received = await begun(port, body, path);
    expect(received).toBeGreaterThan(0);
    const resumed = app.inject(`/v1/stream?conv_id=chat-1&from=${received}`);
    release.resolve();
    expect((await resumed).body).toContain("two");
    expect(engine.cancelled).toEqual([]);
  });

  it("continues if its client disconnects before the answer has begun", async () => {
    const release = deferred();
    const { app, engine } = appWith({ parts: ["One"], before: () => release.promise });
    const port = await listening(app);
    const gone = new AbortController();
    const sent = fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-conversation-id": "chat-1" },
      body: JSON.stringify(chat),
      signal: gone.signal,
    });
    await eventually(() => expect(engine.started).toHaveLength(1));
    gone.abort();
    await expect(sent).rejects.toThrow();
    release.resolve();
    const { body } = await app.inject("/v1/stream?conv_id=chat-1");
    expect(textOf(body)).toBe("One");
    expect(eventData(body).at(-1)).toBe("[DONE]");
  });

  it("is not kept without the header, without `stream` or if the request is refused", async () => {
    const { app } = appWith({ parts: ["One"] });
    const headers = { "x-conversation-id": "chat-1" };
    const url = "/v1/chat/completions";
    await app.inject({ method: "POST", url, payload: chat });
    await app.inject({ method: "POST", url, headers, payload: { ...chat, stream: false } });
    const long = { ...chat, messages: [{ role: "user", content: "x".repeat(200) }] };
    const refused = await app.inject({ method: "POST", url, headers, payload: long });
    expect(refused.statusCode).toBe(400);
    expect((await app.inject("/v1/stream?conv_id=chat-1")).statusCode).toBe(404);
  });

  it("is cancelled when the server closes", async () => {
    const { app, engine } = appWith({ parts: ["One"], ending: "never" });
    const port = await listening(app);
    await begun(port);
    const resumed = app.inject("/v1/stream?conv_id=chat-1");
    await eventually(() => expect(engine.started).toHaveLength(1));
    await app.close();
    expect(engine.cancelled).toEqual(engine.started);
    expect(textOf((await resumed).body)).toBe("One");
  });

  it("holds its slot and its key's concurrent request until its end", async () => {
    const script = { parts: ["One"], ending: "never" as const };
    const { app } = appWith(script, { keyLines: ["a-key name=alice concurrent=1"] });
    const port = await listening(app);
    const headers = { authorization: "Bearer a-key", "content-type": "application/json" };
    const post = (gone?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: "POST",
        headers: { ...headers, "x-conversation-id": "chat-1" },
        body: JSON.stringify(chat),
        ...(gone && { signal: gone }),
      });
    const gone = new AbortController();
    const first = await post(gone.signal);
    await first.body?.getReader().read();
    gone.abort();
    expect((await post()).status).toBe(429);
    const stopped = await fetch(`http://127.0.0.1:${port}/v1/stream?conv_id=chat-1`, {
      method: "DELETE",
      headers: { authorization: "Bearer a-key" },
    });
    expect(stopped.status).toBe(204);
    const again = new AbortController();
    await eventually(async () => expect((await post(again.signal)).status).toBe(200));
    again.abort();
  });

  it("refuses an id that is too long", async () => {
    const { app } = appWith({ parts: ["One"] });
    const headers = { "x-conversation-id": "x".repeat(513) };
    const url = "/v1/chat/completions";
    const refused = await app.inject({ method: "POST", url, headers, payload: chat });
    expect([refused.statusCode, refused.json().error.param]).toEqual([400, "x-conversation-id"]);
  });
});

describe("DELETE /v1/stream", () => {
  it("ends the generation and its streams without [DONE], and removes them", async () => {
    const { app, engine } = appWith({ parts: ["One"], ending: "never" });
    const port = await listening(app);
    const headers = { "x-conversation-id": "chat-1" };
    const url = "/v1/chat/completions";
    const sent = app.inject({ method: "POST", url, headers, payload: chat });
    await eventually(async () => {
      const { value } = (await (
        await fetch(`http://127.0.0.1:${port}/v1/stream?conv_id=chat-1`)
      ).body
        ?.getReader()
        .read()) ?? { value: undefined };
      expect(value?.length).toBeGreaterThan(0);
    });
    const resumed = await fetch(`http://127.0.0.1:${port}/v1/stream?conv_id=chat-1`);
    const stop = () => app.inject({ method: "DELETE", url: "/v1/stream?conv_id=chat-1" });
    expect((await stop()).statusCode).toBe(204);
    for (const body of [(await sent).body, await resumed.text()]) {
      expect(textOf(body)).toBe("One");
      expect(body).not.toContain("[DONE]");
      expect(body).not.toContain("error");
    }
    await eventually(() => expect(engine.cancelled).toEqual(engine.started));
    expect((await app.inject("/v1/stream?conv_id=chat-1")).statusCode).toBe(404);
    expect((await stop()).statusCode).toBe(204);
  });

  it("refuses the request if its answer has not begun", async () => {
    const { app, engine } = appWith({
      parts: ["One"],
      ending: "never",
      before: () => deferred().promise,
    });
    const headers = { "x-conversation-id": "chat-1" };
    const url = "/v1/chat/completions";
    const sent = app.inject({ method: "POST", url, headers, payload: chat });
    await eventually(() => expect(engine.started).toHaveLength(1));
    await app.inject({ method: "DELETE", url: "/v1/stream?conv_id=chat-1" });
    const answer = await sent;
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_request"]);
    expect(engine.cancelled).toEqual(engine.started);
  });
});

describe("POST /v1/streams/lookup", () => {
  it("returns the streams of the given conversations", async () => {
    const { app } = appWith({ parts: ["One"] });
    const url = "/v1/chat/completions";
    const lookup = async (ids: unknown) =>
      app.inject({
        method: "POST",
        url: "/v1/streams/lookup",
        payload: { conversation_ids: ids },
      });
    let bytes = 0;
    for (const id of ["chat-1::m", "chat-2"]) {
      const headers = { "x-conversation-id": id };
      bytes = (await app.inject({ method: "POST", url, headers, payload: chat })).body.length;
    }
    expect((await lookup(["chat-1", "chat-3"])).json()).toEqual([
      {
        conversation_id: "chat-1::m",
        is_done: true,
        total_bytes: bytes,
        started_at: expect.any(Number),
        completed_at: expect.any(Number),
      },
    ]);
    const refused = await lookup("chat-1");
    expect([refused.statusCode, refused.json().error.param]).toEqual([400, "conversation_ids"]);
  });

  it("and the other routes find nothing of another key", async () => {
    const keyLines = ["a-key name=alice", "b-key name=bob"];
    const { app } = appWith({ parts: ["One"] }, { keyLines });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    await app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      headers: { ...as("a-key"), "x-conversation-id": "chat-1" },
      payload: chat,
    });
    const url = "/v1/stream?conv_id=chat-1";
    const read = (key: string) => app.inject({ url, headers: as(key) });
    expect((await read("b-key")).statusCode).toBe(404);
    await app.inject({ method: "DELETE", url, headers: as("b-key") });
    const found = await app.inject({
      method: "POST",
      url: "/v1/streams/lookup",
      headers: as("b-key"),
      payload: { conversation_ids: ["chat-1"] },
    });
    expect(found.json()).toEqual([]);
    expect((await read("a-key")).statusCode).toBe(200);
  });
});
