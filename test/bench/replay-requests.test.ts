import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { replayRequests, type TimedRequest } from "../../bench/client/replay-requests.js";

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

const timed = (path: string, atMs: number): TimedRequest => ({
  ...{ method: "GET", path, atMs, headers: { accept: "text/html" } },
});

const { signal } = new AbortController();

describe("replayRequests", () => {
  it("sends requests in order of their times, with their headers, and skips requests after the end", async () => {
    const seen: unknown[] = [];
    const origin = await startServer(({ url, headers }, response) => {
      seen.push([url, headers.accept]);
      response.end();
    });
    const requests = [timed("/b?c", 20), timed("/a", 0), timed("/late", 1000)];
    const replayed = await replayRequests(origin, requests, { forMs: 200, signal });
    expect(seen).toEqual([
      ["/a", "text/html"],
      ["/b?c", "text/html"],
    ]);
    expect(replayed).toEqual([{ kind: "answered" }, { kind: "answered" }]);
  });

  it("aborts responses that are still open at the end without reporting a failure", async () => {
    const origin = await startServer((_, response) => void response.write("data: 1\n\n"));
    const replayed = await replayRequests(origin, [timed("/sse", 0)], { forMs: 100, signal });
    expect(replayed).toEqual([{ kind: "cut" }]);
  });

  it("reports failed and interrupted requests", async () => {
    const origin = await startServer(({ url, socket }, response) => {
      if (url === "/broken") socket.destroy();
      response.writeHead(503).end();
    });
    const [refused, broken] = [timed("/refused", 0), timed("/broken", 0)];
    expect(await replayRequests(origin, [refused, broken], { forMs: 100, signal })).toEqual([
      { kind: "failed", request: refused, reason: "HTTP 503" },
      { kind: "failed", request: broken, reason: "socket hang up" },
    ]);
  });

  it("rejects when it is aborted", async () => {
    const origin = await startServer(() => undefined);
    const stop = new AbortController();
    const replaying = replayRequests(origin, [timed("/", 0)], {
      forMs: 60_000,
      signal: stop.signal,
    });
    stop.abort();
    await expect(replaying).rejects.toThrow(/abort/);
  });
});
