import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { requestLimits } from "../../src/http/request-checks.js";
import { listening, openRaw, parseRaw } from "../support/raw-connection.js";
import { buildLoadingApp } from "../support/test-app.js";

/** The application with time limits of milliseconds instead of at least half a minute. */
function impatientApp(limits: Partial<FastifyInstance["server"]>): FastifyInstance {
  const { app } = buildLoadingApp();
  // Node.js reads it when the server begins to listen.
  Object.assign(app.server, { connectionsCheckingInterval: 5 }, limits);
  return app;
}

const post = "POST /api/todos HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

describe("slow requests", () => {
  it.each([
    ["nothing at all", ""],
    ["a part of its headers", "GET / HTTP/1.1\r\nHost: loc"],
  ])("a connection that sends %s is answered 408 and closed", async (_, text) => {
    const port = await listening(impatientApp({ headersTimeout: 10 }));
    const { closed } = await openRaw(port, text);
    const answer = parseRaw(await closed);
    expect(answer.status).toBe(408);
    expect(answer.headers).toMatchObject({ connection: "close" });
    expect(JSON.parse(answer.body)).toMatchObject({
      error: {
        code: "request_timeout",
        message:
          "The request did not arrive in time: expected its headers within 30 seconds, and all of it within 60.",
      },
    });
  });

  it.each([
    ["a part of its body", `${post}Content-Length: 100\r\n\r\n{"title":`],
    ["a chunked body without an end", `${post}Transfer-Encoding: chunked\r\n\r\n5\r\n{"tit\r\n`],
  ])("a request of %s is answered 408 and closed", async (_, text) => {
    const port = await listening(impatientApp({ headersTimeout: 10, requestTimeout: 20 }));
    const { closed } = await openRaw(port, text);
    expect(parseRaw(await closed).status).toBe(408);
  });

  it("an idle connection is closed after an answer", async () => {
    const port = await listening(impatientApp({ keepAliveTimeout: 10 }));
    const { closed } = await openRaw(port, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const answer = parseRaw(await closed);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ connection: "keep-alive" });
  });

  it("are subject to the documented limits", () => {
    const { server } = buildLoadingApp().app;
    expect(server).toMatchObject({
      headersTimeout: requestLimits.headersTimeoutMs,
      requestTimeout: requestLimits.requestTimeoutMs,
      keepAliveTimeout: requestLimits.keepAliveTimeoutMs,
      connectionsCheckingInterval: 5000,
    });
  });
});

it("a body with a declared length above the limit is rejected before it arrives", async () => {
  const port = await listening(buildLoadingApp().app);
  const { closed } = await openRaw(
    port,
    `${post}Connection: close\r\nContent-Length: 999999999\r\n\r\n`,
  );
  expect(parseRaw(await closed).status).toBe(413);
});

it("a body above the limit is rejected even without a declared length", async () => {
  const port = await listening(buildLoadingApp().app);
  const kilobyte = `400\r\n${" ".repeat(1024)}\r\n`;
  const { closed } = await openRaw(
    port,
    `${post}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${kilobyte.repeat(200)}`,
  );
  expect(parseRaw(await closed).status).toBe(413);
});

it("a refused client that neither sends the rest of its body nor closes its connection is disconnected", async () => {
  const { app } = buildLoadingApp();
  const port = await listening(app);
  const accepted = once(app.server, "connection") as Promise<[Socket]>;
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  client.resume();
  client.write(`${post}Content-Length: 999999999\r\n\r\n{`);
  const [socket] = await accepted;
  await once(client, "end");
  expect(socket.destroyed).toBe(false);
  await once(socket, "close");
});
