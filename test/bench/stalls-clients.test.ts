import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { HttpClient } from "../../bench/client/http-client.js";
import { probeLiveness } from "../../bench/client/liveness-probes.js";
import { type SentRequest, sendPipelined, sendRequest } from "../../bench/client/send-request.js";

/** Starts a server that is closed after the test, and returns its origin. */
async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const request: SentRequest = {
  method: "PUT",
  headers: { "if-match": "*" },
  body: Buffer.from("{}"),
};

/** Request as received by the server. */
async function seen({ method, url, headers }: IncomingMessage, body: Promise<string>) {
  return [method, url, headers["if-match"], headers["content-type"], await body];
}

describe("sendRequest", () => {
  it("sends the method, the path, the headers and the body", async () => {
    const requests: unknown[] = [];
    const origin = await startServer(async (incoming, response) => {
      requests.push(await seen(incoming, text(incoming)));
      response.end();
    });
    await sendRequest(new URL("/a?b=c", origin), request);
    await sendRequest(new URL("/", origin), { method: "GET", headers: {}, body: undefined });
    expect(requests).toEqual([
      ["PUT", "/a?b=c", "*", "application/json", "{}"],
      ["GET", "/", undefined, undefined, ""],
    ]);
  });

  it("returns the status and the error code", async () => {
    const origin = await startServer((_, response) => {
      response.statusCode = 400;
      response.end('{"error":{"code":"invalid_json"}}');
    });
    expect(await sendRequest(new URL(origin), request)).toEqual({
      kind: "status",
      status: 400,
      code: "invalid_json",
    });
  });

  it("returns the id of the created object", async () => {
    const origin = await startServer((_, response) => void response.end('{"id":"conv_1"}'));
    expect(await sendRequest(new URL(origin), request)).toMatchObject({ id: "conv_1" });
  });

  it.each(["{}", '{"error":{}}', '{"id":1}', "not JSON", "null", ""])(
    "returns neither a code nor an id for %j",
    async (content) => {
      const origin = await startServer((_, response) => void response.end(content));
      expect(await sendRequest(new URL(origin), request)).toEqual({
        kind: "status",
        status: 200,
        code: undefined,
        id: undefined,
      });
    },
  );

  it("reports a connection that was closed without a response", async () => {
    const origin = await startServer(({ socket }) => void socket.destroy());
    expect(await sendRequest(new URL(origin), request)).toEqual({
      kind: "none",
      reason: "socket hang up",
    });
  });
});

describe("sendPipelined", () => {
  it("sends a request several times on one connection and returns the first status", async () => {
    const requests: unknown[] = [];
    const ports = new Set<number | undefined>();
    const origin = await startServer(async (incoming, response) => {
      ports.add(incoming.socket.remotePort);
      requests.push(await seen(incoming, text(incoming)));
      response.statusCode = requests.length === 1 ? 202 : 200;
      response.end("x".repeat(100_000));
    });
    expect(await sendPipelined(new URL("/a?b=c", origin), request, 20)).toEqual({
      kind: "status",
      status: 202,
    });
    expect(requests).toEqual(Array(20).fill(["PUT", "/a?b=c", "*", "application/json", "{}"]));
    expect(ports.size).toBe(1);
  });

  it("reports a connection that was closed without a response", async () => {
    const origin = await startServer(({ socket }) => void socket.destroy());
    expect(await sendPipelined(new URL(origin), request, 2)).toMatchObject({ kind: "none" });
  });
});

describe("probeLiveness", () => {
  it("probes over one connection until stopped and reports failures", async () => {
    const stop = new AbortController();
    const seen: { path: string | undefined; port: number | undefined }[] = [];
    const origin = await startServer(({ url, socket }, response) => {
      seen.push({ path: url, port: socket.remotePort });
      if (seen.length === 2) response.statusCode = 503;
      if (seen.length === 3) stop.abort();
      response.end();
    });
    const probes = await probeLiveness(`${origin}/v1`, stop.signal);
    expect(probes.map(({ error }) => error)).toEqual([undefined, "HTTP 503", undefined]);
    expect(seen.map(({ path }) => path)).toEqual(Array(3).fill("/health/live"));
    expect(new Set(seen.map(({ port }) => port)).size).toBe(1);
  });

  it("sends a probe only after the previous response, so that one probe measures the whole stall", async () => {
    const stop = new AbortController();
    let open = 0;
    const origin = await startServer((_, response) => {
      expect(++open).toBe(1);
      setImmediate(() => {
        open--;
        response.end();
        stop.abort();
      });
    });
    const [probe, ...others] = await probeLiveness(`${origin}/v1`, stop.signal);
    expect(others).toEqual([]);
    expect(probe?.answeredAtMs).toBeGreaterThan(probe?.sentAtMs ?? Infinity);
  });
});

describe("a stream that the client stops", () => {
  it("is not reported as a failure and keeps its chunks", async () => {
    const stop = new AbortController();
    const origin = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
    });
    const client = new HttpClient(`${origin}/v1`, "m", new AbortController().signal);
    const record = await client.complete(
      { messages: [], maxTokens: 10, mode: { kind: "stopped", by: stop.signal } },
      () => stop.abort(),
    );
    expect(record.error).toBeUndefined();
    expect(record.chunkTimesMs).toHaveLength(1);
  });
});
