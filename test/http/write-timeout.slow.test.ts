import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { listening, openRaw } from "../support/raw-connection.js";
import { deferred, ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp, type TestApp } from "../support/test-app.js";

const apps: TestApp[] = [];
afterEach(() => {
  for (const { scheduler } of apps.splice(0)) scheduler.endAll();
});

/** More data than the socket buffers hold. */
const MEGABYTES = 32;

const chat = (body: object) => {
  const json = JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
};

/** Listening application, and the sockets that it has accepted. */
async function appWith(engine: ScriptedEngine, writeTimeout = 30) {
  const testApp = buildTestApp(engine, { edge: { writeTimeout } });
  apps.push(testApp);
  const accepted: Socket[] = [];
  testApp.app.server.on("connection", (socket) => accepted.push(socket));
  return { port: await listening(testApp.app), accepted };
}

/** Scripted endless text. */
const endless = () => ({
  parts: Array.from({ length: MEGABYTES }, () => "x".repeat(2 ** 20)),
  ending: "never" as const,
});
const long = () => ({ parts: ["x".repeat(MEGABYTES * 2 ** 20)] });

const isBlocked = (socket: Socket | undefined) => (socket?.writableLength ?? 0) > 0;

const untilBlocked = (socket: () => Socket | undefined) =>
  eventually(() => expect(isBlocked(socket())).toBe(true));

describe("a client that stops reading", () => {
  it.each([
    ["a stream", endless, { stream: true }],
    ["a non-streaming answer", long, {}],
  ])(
    "is disconnected after the time limit and frees its slot during %s",
    async (_, script, body) => {
      const engine = new ScriptedEngine(
        ({ prompt }) => (prompt.messages[0]?.content === "Hi" ? script() : { parts: ["next"] }),
        { slots: 1 },
      );
      const { port, accepted } = await appWith(engine);
      const { socket } = await openRaw(port);
      socket.pause();
      socket.write(chat(body));
      await untilBlocked(() => accepted[0]);
      expect(accepted[0]?.timeout).toBe(30_000);
      accepted[0]?.emit("timeout");
      expect(accepted[0]?.destroyed).toBe(true);

      if (script === endless) {
        await eventually(() => expect(engine.cancelled).toEqual(engine.started));
      }
      const next = await openRaw(port, chat({ messages: [{ role: "user", content: "Next" }] }));
      await eventually(() => expect(next.received()).toContain('"content":"next"'));
    },
  );

  it("is disconnected by the socket timeout", async () => {
    const engine = new ScriptedEngine(endless);
    const { port } = await appWith(engine, 1);
    const { socket } = await openRaw(port);
    socket.pause();
    socket.write(chat({ stream: true }));
    await eventually(() => expect(engine.cancelled).toHaveLength(1));
  });

  it("uses only the socket's buffer: the stream is not read ahead", async () => {
    let read = 0;
    const engine = new ScriptedEngine(() => ({
      ...endless(),
      before: () => void read++,
    }));
    const { port, accepted } = await appWith(engine);
    const { socket } = await openRaw(port);
    socket.pause();
    socket.write(chat({ stream: true }));
    await untilBlocked(() => accepted[0]);
    // The engine has finished its text; one piece waits for the client's socket.
    await eventually(() => expect(read).toBe(MEGABYTES));
    expect(accepted[0]?.writableLength).toBeLessThan(3 * 2 ** 20);
  });
});

describe("a write timeout for a client that reads", () => {
  it("does not affect an idle stream", async () => {
    const release = deferred();
    const engine = new ScriptedEngine(() => ({
      parts: ["a", "b"],
      before: (index) => (index === 1 ? release.promise : undefined),
    }));
    const { port, accepted } = await appWith(engine);
    const { received } = await openRaw(port, chat({ stream: true }));
    await eventually(() => expect(received()).toContain('"content":"a"'));
    await eventually(() => expect(isBlocked(accepted[0])).toBe(false));
    accepted[0]?.emit("timeout");
    release.resolve();
    await eventually(() => expect(received()).toContain("data: [DONE]\n\n"));
  });

  it("does not affect an answer that has not begun", async () => {
    const release = deferred();
    const engine = new ScriptedEngine(() => ({ parts: ["a"], before: () => release.promise }));
    const { port, accepted } = await appWith(engine);
    const { received } = await openRaw(port, chat({}));
    await eventually(() => expect(engine.started).toHaveLength(1));
    accepted[0]?.emit("timeout");
    release.resolve();
    await eventually(() => expect(received()).toContain('"content":"a"'));
  });

  it("does not affect another client", async () => {
    const release = deferred();
    const engine = new ScriptedEngine(
      ({ prompt }) =>
        prompt.messages[0]?.content === "Hi"
          ? endless()
          : { parts: ["a", "b"], before: (index) => (index === 1 ? release.promise : undefined) },
      { slots: 2 },
    );
    const { port, accepted } = await appWith(engine);
    const reader = await openRaw(
      port,
      chat({ stream: true, messages: [{ role: "user", content: "Me" }] }),
    );
    await eventually(() => expect(reader.received()).toContain('"content":"a"'));
    const { socket } = await openRaw(port);
    socket.pause();
    socket.write(chat({ stream: true }));
    await untilBlocked(() => accepted[1]);
    for (const socket of accepted) socket.emit("timeout");
    await eventually(() => expect(engine.cancelled).toEqual([engine.started[1]]));
    release.resolve();
    await eventually(() => expect(reader.received()).toContain("data: [DONE]\n\n"));
  });
});
