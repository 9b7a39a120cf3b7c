import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { queuePipelinedRequests } from "../../src/http/pipelined-requests.js";
import { eventually } from "../support/eventually.js";
import { listening, openRaw } from "../support/raw-connection.js";
import { metricsIn } from "../support/scraped-metrics.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const host = "Host: localhost\r\n";
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`;

function postChat(body: object, headers = ""): string {
  const text = JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body });
  return `POST /v1/chat/completions HTTP/1.1\r\n${host}${headers}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

const neverEnding = () => new ScriptedEngine(() => ({ parts: ["a"], ending: "never" }));
const count = (text: string, part: string) => text.split(part).length - 1;

/** Bare HTTP server whose answers end on demand, then immediately once `endAll` is called. */
async function bareServer() {
  const handled: { request: IncomingMessage; response: ServerResponse }[] = [];
  let answers: "held" | "at-once" = "held";
  const server = createServer((request, response) => {
    handled.push({ request, response });
    if (answers === "at-once") end(handled.length - 1);
  });
  queuePipelinedRequests(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = (index: number) => handled[index]?.response.end(`${handled[index]?.request.url}\n`);
  const endAll = () => {
    answers = "at-once";
    end(handled.length - 1);
  };
  return { server, handled, end, endAll, port: (server.address() as AddressInfo).port };
}

describe("pipelined requests", () => {
  it("are handled one after another, in order", async () => {
    const { port, handled, end } = await bareServer();
    const { received } = await openRaw(port, get("/1") + get("/2") + get("/3"));
    await eventually(() => expect(handled).toHaveLength(1));
    await turns(10);
    expect(handled).toHaveLength(1);
    end(0);
    await eventually(() => expect(handled).toHaveLength(2));
    end(1);
    await eventually(() => expect(handled).toHaveLength(3));
    end(2);
    await eventually(() => expect(received()).toContain("/3\n"));
    expect(received().match(/\/\d\n/g)).toEqual(["/1\n", "/2\n", "/3\n"]);
  });

  it("are assigned the connection while they are handled, and observe its close", async () => {
    const { port, handled, end } = await bareServer();
    const { socket } = await openRaw(port, get("/1") + get("/2"));
    await eventually(() => expect(handled).toHaveLength(1));
    end(0);
    await eventually(() => expect(handled).toHaveLength(2));
    const second = handled[1]?.response;
    expect(second?.socket).not.toBeNull();
    const closed = new Promise((resolve) => second?.once("close", () => resolve("closed")));
    socket.destroy();
    expect(await closed).toBe("closed");
  });

  it("are not handled after their connection has closed", async () => {
    const { port, handled, server } = await bareServer();
    const { socket } = await openRaw(port, get("/").repeat(100));
    await eventually(() => expect(handled).toHaveLength(1));
    socket.destroy();
    await eventually(() => expect(connectionsOf(server)).resolves.toBe(0));
    await turns(200);
    expect(handled).toHaveLength(1);
  });

  it("are not handled after an answer that closes the connection", async () => {
    const { port, handled, end } = await bareServer();
    const { closed } = await openRaw(port, get("/1") + get("/2"));
    await eventually(() => expect(handled).toHaveLength(1));
    handled[0]?.response.setHeader("connection", "close");
    end(0);
    expect(count(await closed, "HTTP/1.1 200")).toBe(1);
    expect(handled).toHaveLength(1);
  });

  it("yield to other connections between them", async () => {
    const { port, handled, endAll } = await bareServer();
    const { received } = await openRaw(port, get("/many").repeat(500));
    await eventually(() => expect(handled).toHaveLength(1));
    // The other request is in the kernel's queue when the answers begin.
    await openRaw(port, get("/other"));
    endAll();
    await eventually(() => expect(count(received(), "HTTP/1.1 200")).toBe(500));
    const urls = handled.map(({ request }) => request.url);
    expect(urls.indexOf("/other")).toBeLessThan(100);
  });

  it("are read up to a limit, and are all answered", async () => {
    const { port, endAll, server } = await bareServer();
    let served: { readonly bytesRead: number } = { bytesRead: 0 };
    server.once("connection", (socket) => {
      served = socket;
    });
    const { socket, received } = await openRaw(port);
    const padding = `X-Padding: ${"x".repeat(1000)}\r\n`;
    const request = `GET / HTTP/1.1\r\n${host}${padding}\r\n`;
    socket.write(request.repeat(2000));
    await eventually(() => expect(served.bytesRead).toBeGreaterThan(1024 * 1024));
    await turns(100);
    expect(served.bytesRead).toBeLessThan(1024 * 1024 + 2 * 65_536);
    endAll();
    await eventually(() => expect(count(received(), "HTTP/1.1 200")).toBe(2000));
  });

  it("with an unsupported expectation are rejected in order", async () => {
    const { port, handled, end } = await bareServer();
    const refused = `GET /2 HTTP/1.1\r\n${host}Expect: wonders\r\n\r\n`;
    const { received } = await openRaw(port, get("/1") + refused + get("/3"));
    await eventually(() => expect(handled).toHaveLength(1));
    end(0);
    await eventually(() => expect(handled).toHaveLength(2));
    expect(handled[1]?.response.socket).not.toBeNull();
    end(1);
    await eventually(() => expect(received()).toContain("/3\n"));
    expect(
      received()
        .match(/HTTP\/1.1 \d+/g)
        ?.map((line) => line.slice(-3)),
    ).toEqual(["200", "417", "200"]);
  });

  it("may include HEAD and wait for 100 Continue", async () => {
    const { port, handled, end } = await bareServer();
    const post = `POST /2 HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
    const { socket, received } = await openRaw(port, `HEAD /1 HTTP/1.1\r\n${host}\r\n${post}`);
    await eventually(() => expect(handled).toHaveLength(1));
    end(0);
    await eventually(() => expect(received()).toContain("100 Continue"));
    socket.write("{}");
    await eventually(() => expect(handled).toHaveLength(2));
    end(1);
    await eventually(() => expect(received()).toContain("/2\n"));
    expect(received()).not.toContain("/1\n");
  });
});

/** Event-loop iterations in which a hundred staggered requests start. */
const ALL_STARTED = 3000;

describe("a disconnection after pipelined streams", () => {
  it("ends the running stream and discards the queued requests", async () => {
    const engine = neverEnding();
    const { app, scheduler } = buildTestApp(engine, { keyLines: ["a-key name=a concurrent=100"] });
    const port = await listening(app);
    const key = "Authorization: Bearer a-key\r\n";
    const { socket } = await openRaw(port, postChat({ stream: true }, key).repeat(100));
    await eventually(() => expect(engine.started).toHaveLength(1));
    await turns(ALL_STARTED);
    socket.destroy();
    await eventually(() => expect(engine.cancelled).toEqual(engine.started));
    await scheduler.whenIdle();
    await eventually(async () => {
      const { body } = await app.inject({ url: "/metrics", headers: { "x-api-key": "a-key" } });
      expect(inFlight(body)).toEqual([]);
    });
    expect(engine.requests).toHaveLength(1);
  });

  it("frees the key's concurrent requests", async () => {
    const engine = neverEnding();
    const { app } = buildTestApp(engine, { keyLines: ["a-key name=a concurrent=2"] });
    const port = await listening(app);
    const stream = postChat({ stream: true }, "Authorization: Bearer a-key\r\n");
    const { socket } = await openRaw(port, stream.repeat(100));
    await eventually(() => expect(engine.started).toHaveLength(1));
    await turns(ALL_STARTED);
    socket.destroy();
    await eventually(() => expect(engine.cancelled).toEqual(engine.started));
    const next = [await openRaw(port, stream), await openRaw(port, stream)];
    await eventually(() => {
      for (const { received } of next) expect(received()).toContain('"content":"a"');
    });
  });

  it("does not block draining", async () => {
    const engine = neverEnding();
    const { app, scheduler } = buildTestApp(engine);
    const port = await listening(app);
    const { socket } = await openRaw(port, postChat({}).repeat(100));
    await eventually(() => expect(engine.started).toHaveLength(1));
    await turns(ALL_STARTED);
    app.drain();
    socket.destroy();
    await scheduler.whenIdle();
    await app.close();
    expect(engine.requests).toHaveLength(1);
  });
});

describe("pipelined requests of a draining server", () => {
  it("are not answered after the first answer, which closes the connection", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const engine = new ScriptedEngine(() => ({ parts: ["a"], before: () => released }));
    const { app } = buildTestApp(engine);
    const port = await listening(app);
    const { closed } = await openRaw(port, postChat({}).repeat(3));
    await eventually(() => expect(engine.started).toHaveLength(1));
    app.drain();
    release();
    expect(count(await closed, "HTTP/1.1 200")).toBe(1);
    expect(engine.requests).toHaveLength(1);
  });
});

/** Non-zero gauges of work in progress. */
function inFlight(text: string): string[] {
  return Object.entries(metricsIn(text))
    .filter(([name, value]) => /num_requests_(running|waiting)/.test(name) && value !== 0)
    .map(([name, value]) => `${name} ${value}`);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function connectionsOf(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, open) => (error ? reject(error) : resolve(open))),
  );
}
