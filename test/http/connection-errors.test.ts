import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { listening, openRaw, parseRaw } from "../support/raw-connection.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildLoadingApp, buildTestApp } from "../support/test-app.js";

const host = "Host: localhost\r\n";
const post = `POST /v1/chat/completions HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;

describe("an invalid HTTP request", () => {
  it.each([
    ["plain words", "hello\r\n\r\n"],
    ["the beginning of TLS", "\x16\x03\x01\x02\x00\x01\x00"],
    ["an unknown method", `BREW / HTTP/1.1\r\n${host}\r\n`],
    ["an unknown version", `GET / HTTP/9.9\r\n${host}\r\n`],
    ["a space in a header's name", `GET / HTTP/1.1\r\n${host}a b: c\r\n\r\n`],
    ["a control character in a header", `GET / HTTP/1.1\r\n${host}a: b\x00c\r\n\r\n`],
    ["a bare line feed between headers", "GET / HTTP/1.1\nHost: localhost\n\n"],
    ["a negative length", `${post}Content-Length: -1\r\n\r\n`],
    ["two lengths", `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      "both a length and chunked encoding",
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["a transfer coding after chunked", `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
    ["a chunk without a size", `${post}Transfer-Encoding: chunked\r\n\r\nx\r\n\r\n`],
  ])("with %s is answered 400, and the connection is closed", async (_, text) => {
    const port = await listening(buildLoadingApp().app);
    const { closed } = await openRaw(port, text);
    const answer = parseRaw(await closed);
    expect(answer.status).toBe(400);
    expect(answer.headers).toMatchObject({
      connection: "close",
      "x-request-id": expect.stringMatching(/^req_/),
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { code: "invalid_request", message: "The request is not valid HTTP." },
    });
  });

  it("after a stream is not answered within the stream", async () => {
    const engine = new ScriptedEngine(() => ({ parts: ["a"], ending: "never" }));
    const { app } = buildTestApp(engine);
    const port = await listening(app);
    const body = JSON.stringify({ messages: [{ role: "user", content: "Hi" }], stream: true });
    const { socket, received, closed } = await openRaw(
      port,
      `${post}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await eventually(() => expect(received()).toContain('"content":"a"'));
    socket.write("hello\r\n\r\n");
    expect(await closed).not.toContain("invalid_request");
    await eventually(() => expect(engine.cancelled).toEqual(engine.started));
  });

  it("is answered instead of a pending request whose answer has not begun", async () => {
    const engine = new ScriptedEngine(() => ({ parts: [], ending: "never" }));
    const port = await listening(buildTestApp(engine).app);
    const body = JSON.stringify({ messages: [{ role: "user", content: "Hi" }] });
    const { socket, closed } = await openRaw(
      port,
      `${post}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await eventually(() => expect(engine.started).toHaveLength(1));
    socket.write("hello\r\n\r\n");
    expect(parseRaw(await closed).status).toBe(400);
    await eventually(() => expect(engine.cancelled).toEqual(engine.started));
  });

  it("closes the connection even if the client does not", async () => {
    const { app } = buildLoadingApp();
    const port = await listening(app);
    const { socket } = await openRaw(port);
    socket.allowHalfOpen = true;
    const [served] = await new Promise<[import("node:net").Socket]>((resolve) => {
      app.server.once("clientError", (_error, socket) => resolve([socket as never]));
      socket.write("hello\r\n\r\n");
    });
    expect(served.timeout).toBe(2000);
    served.emit("timeout");
    expect(served.destroyed).toBe(true);
  });
});
