import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isOver, type Load, warmUpLoad } from "../../bench/todos/load.js";
import { commonValues, responsesDuring } from "../../bench/todos/reduce-responses.js";
import {
  createRequests,
  itemRequests,
  listRequest,
  meanBodyBytes,
  preparedFile,
  titleOf,
} from "../../bench/todos/requests.js";
import { runLoad } from "../../bench/todos/run-load.js";
import { buildWriteLoad } from "../../bench/todos/workloads/writes.js";
import { InputError } from "../../models/command-line/input-error.js";

const load: Load = {
  origin: "http://127.0.0.1:1",
  requests: [listRequest()],
  clients: 4,
  until: { seconds: 5, responses: 100 },
};

/** Starts a server that is closed after the test, and returns its origin. */
async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a load", () => {
  it.each([
    ["ends when it has all responses, regardless of the time", 100, 0, true],
    ["ends when its time limit is reached", 4, 5000, true],
    ["continues until either limit is reached", 99, 4999, false],
    ["continues while there are fewer responses than clients", 3, 60_000, false],
  ])("%s", (_, responses, elapsedMs, over) => {
    expect(isOver(load, responses, elapsedMs)).toBe(over);
  });

  it("is preceded by a warm-up with one client and the same requests", () => {
    const { origin, requests } = load;
    expect(warmUpLoad(load)).toMatchObject({ origin, requests, clients: 1 });
  });

  it("of writes at most doubles the collection, but has enough responses for each client", () => {
    const until = (items: number, clients: number) =>
      buildWriteLoad({ items, seconds: 2 }, { origin: load.origin, clients }).until;
    expect(until(10_000, 256)).toEqual({ seconds: 2, responses: 10_000 });
    expect(until(1000, 256)).toEqual({ seconds: 2, responses: 5120 });
  });
});

describe("runLoad", () => {
  it("cycles through the requests and records the requested number of responses", async () => {
    const seen: string[] = [];
    const origin = await startServer(async (request, response) => {
      const body = (await request.toArray()).join("");
      seen.push(`${request.method} ${request.url} ${request.headers["content-type"]} ${body}`);
      response.statusCode = request.method === "POST" ? 201 : 200;
      response.end("{}");
    });
    const requests = [
      { method: "GET", path: "/v1/todos/1" } as const,
      { method: "POST", path: "/v1/todos", body: '{"title":"milk"}' } as const,
    ];
    const until = { seconds: 60, responses: 10 };
    const { responses, successes } = await runLoad({ origin, requests, clients: 1, until });
    expect(seen.slice(0, 3)).toEqual([
      "GET /v1/todos/1 undefined ",
      'POST /v1/todos application/json {"title":"milk"}',
      "GET /v1/todos/1 undefined ",
    ]);
    expect(responses).toHaveLength(10);
    expect(successes).toBeGreaterThanOrEqual(10);
    for (const { latencyMs } of responses) expect(latencyMs).toBeGreaterThan(0);
  });

  it("continues after its time limit until there are as many responses as clients", async () => {
    const waiting: (() => void)[] = [];
    const origin = await startServer((_, response) => {
      waiting.push(() => response.end("{}"));
      if (waiting.length === 4) for (const answer of waiting.splice(0)) answer();
    });
    const until = { seconds: 0, responses: 100 };
    const { responses } = await runLoad({ ...load, origin, until });
    expect(responses).toHaveLength(4);
  });

  it("rejects if a response is not 2xx", async () => {
    const origin = await startServer((_, response) => {
      response.statusCode = 404;
      response.end("{}");
    });
    const result = runLoad({ ...load, origin });
    await expect(result).rejects.toThrow(InputError);
    await expect(result).rejects.toThrow(
      /^GET http:\/\/127.0.0.1:\d+\/v1\/todos\?limit=100: expected only 2xx responses, got \d+ × HTTP 404$/,
    );
  });

  it("rejects if the server is unreachable", async () => {
    const origin = await startServer(() => undefined);
    const unreachable = { ...load, origin: origin.replace(/\d+$/, "1") };
    await expect(runLoad(unreachable)).rejects.toThrow(/got \d+ × connect ECONNREFUSED/);
  });
});

describe("the result of a load", () => {
  const responses = [10, 20, 40].map((afterMs, index) => ({ afterMs, latencyMs: index + 1 }));

  it("is reduced to a rate and latencies", () => {
    expect(commonValues(responses, 1)).toEqual({ rate: 500, p50: 2, p99: 3 });
  });

  it("has a rate that is independent of when the last response of a burst arrives", () => {
    const burst = Array.from({ length: 255 }, () => ({ afterMs: 10_000, latencyMs: 10_000 }));
    expect(commonValues(burst, 256).rate).toBe(25.6);
    const last = { afterMs: 20_000, latencyMs: 10_000 };
    expect(commonValues([...burst, last], 256).rate).toBe(25.6);
  });

  it("is NaN without responses", () => {
    expect(commonValues([], 1)).toEqual({ rate: Number.NaN, p50: Number.NaN, p99: Number.NaN });
  });

  it("can be limited to the duration of another load", () => {
    const result = { responses, successes: 3, cpuShare: 0 };
    const other = (ends: number[]) => ({
      ...result,
      responses: ends.map((afterMs) => ({ afterMs, latencyMs: 1 })),
    });
    expect(responsesDuring(result, other([5, 25]))).toEqual(responses.slice(0, 2));
    expect(responsesDuring(result, other([]))).toEqual([]);
  });
});

describe("the requests of a load", () => {
  it("read items across the whole id range", () => {
    const paths = itemRequests(1000).map(({ path }) => path);
    expect(paths).toHaveLength(100);
    expect([paths[0], paths[1], paths.at(-1)]).toEqual([
      "/v1/todos/1",
      "/v1/todos/11",
      "/v1/todos/1000",
    ]);
    expect(new Set(itemRequests(1).map(({ path }) => path))).toEqual(new Set(["/v1/todos/1"]));
  });

  it("list a page in a sort order", () => {
    expect(listRequest().path).toBe("/v1/todos?limit=100");
    expect(listRequest("-title").path).toBe("/v1/todos?limit=100&sort=-title");
  });

  it("create items with bodies of equal length", () => {
    const requests = createRequests();
    expect(meanBodyBytes(requests)).toBe(Buffer.byteLength('{"title":""}') + 40);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(requests.length);
    expect(meanBodyBytes([{ method: "POST", path: "/", body: '"é"' }])).toBe(4);
  });
});

describe("the prepared to-do file", () => {
  it("contains items with ids from 1, and the next id", () => {
    const { version, nextId, items } = JSON.parse(preparedFile(4));
    expect({ version, nextId }).toEqual({ version: 1, nextId: 5 });
    expect(items).toEqual(
      [1, 2, 3, 4].map((id) => ({ id, title: titleOf(id), completed: id === 1 || id === 4 })),
    );
  });

  it("contains unsorted, unique titles of 40 characters", () => {
    const titles = Array.from({ length: 1000 }, (_, index) => titleOf(index + 1));
    expect(new Set(titles).size).toBe(1000);
    expect(titles.every(({ length }) => length === 40)).toBe(true);
    expect(titles.toSorted()).not.toEqual(titles);
  });
});
