import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { listening, openRaw, parseRaw } from "../support/raw-connection.js";
import { deferred, ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const chat = (body: object) => {
  const json = JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
};
const health = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

async function drainingApp() {
  const release = deferred();
  const engine = new ScriptedEngine(
    () => ({ parts: ["a", "b"], before: (index) => (index === 1 ? release.promise : undefined) }),
    { slots: 4 },
  );
  const { app } = buildTestApp(engine);
  return { app, engine, release, port: await listening(app) };
}

describe("a draining server", () => {
  it("closes the connections of new requests, including errors", async () => {
    const { app, port } = await drainingApp();
    app.drain();
    for (const request of [health, health.replace("/health/live", "/nowhere")]) {
      const { closed } = await openRaw(port, request);
      expect(parseRaw(await closed).headers.connection).toBe("close");
    }
  });

  it("closes the connection of a pending answer after completing the answer", async () => {
    const { app, engine, release, port } = await drainingApp();
    const whole = await openRaw(port, chat({}));
    await eventually(() => expect(engine.started).toHaveLength(1));
    app.drain();
    release.resolve();
    const answer = parseRaw(await whole.closed);
    expect(answer.headers.connection).toBe("close");
    expect(JSON.parse(answer.body)).toMatchObject({ choices: [{ message: { content: "ab" } }] });
  });

  it("closes the connection of a pending stream after completing the stream", async () => {
    const begin = deferred();
    const engine = new ScriptedEngine(() => ({ parts: ["a"], before: () => begin.promise }));
    const { app } = buildTestApp(engine);
    const stream = await openRaw(await listening(app), chat({ stream: true }));
    await eventually(() => expect(engine.started).toHaveLength(1));
    app.drain();
    begin.resolve();
    const text = await stream.closed;
    expect(parseRaw(text).headers.connection).toBe("close");
    expect(text).toContain("data: [DONE]\n\n");
  });

  it("completes a running stream and keeps its connection open", async () => {
    const { app, release, port } = await drainingApp();
    const stream = await openRaw(port, chat({ stream: true }));
    await eventually(() => expect(stream.received()).toContain('"content":"a"'));
    expect(parseRaw(stream.received()).headers.connection).toBe("keep-alive");
    app.drain();
    release.resolve();
    await eventually(() => expect(stream.received()).toContain("data: [DONE]\n\n"));
    // A client that reuses the connection is asked to close it.
    stream.socket.write(health);
    expect(await stream.closed).toMatch(/connection: close\r\n.*"status":"ok"/is);
  });
});

it("a server that is not draining keeps connections open", async () => {
  const { port } = await drainingApp();
  const { received } = await openRaw(port, health);
  await eventually(() => expect(received()).toContain("200 OK"));
  expect(parseRaw(received()).headers.connection).toBe("keep-alive");
});
