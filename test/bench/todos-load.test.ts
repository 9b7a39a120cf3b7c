import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isOver, type Load, warmUpOf } from "../../bench/todos/load.js";
import { preparedFile, titleOf } from "../../bench/todos/prepared-file.js";
import { answersWhile, commonValues } from "../../bench/todos/reduce-answers.js";
import {
  createRequests,
  itemRequests,
  listRequest,
  meanBodyBytes,
} from "../../bench/todos/requests.js";
import { runLoad } from "../../bench/todos/run-load.js";
import { writingLoad } from "../../bench/todos/writing-load.js";
import { InputError } from "../../models/command-line/input-error.js";

const load: Load = {
  origin: "http://127.0.0.1:1",
  requests: [listRequest()],
  clients: 4,
  until: { seconds: 5, answers: 100 },
};

/** The address of a server that ends with the test. */
async function serve(listener: RequestListener): Promise<string> {
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
    ["its answers are there, whatever the time", 100, 0, true],
    ["its time is up", 4, 5000, true],
    ["neither", 99, 4999, false],
    ["its time is up before each client can have an answer", 3, 60_000, false],
  ])("is over when %s", (_, answers, elapsedMs, over) => {
    expect(isOver(load, answers, elapsedMs)).toBe(over);
  });

  it("is warmed up for by one client with the same requests", () => {
    const { origin, requests } = load;
    expect(warmUpOf(load)).toMatchObject({ origin, requests, clients: 1 });
  });

  it("of writers at most doubles the collection, but gives each some answers", () => {
    const until = (items: number, clients: number) =>
      writingLoad({ items, seconds: 2 }, { origin: load.origin, clients }).until;
    expect(until(10_000, 256)).toEqual({ seconds: 2, answers: 10_000 });
    expect(until(1000, 256)).toEqual({ seconds: 2, answers: 5120 });
  });
});

describe("runLoad", () => {
  it("takes the requests in turn and counts as many answers as were asked for", async () => {
    const seen: string[] = [];
    const origin = await serve(async (request, response) => {
      const body = (await request.toArray()).join("");
      seen.push(`${request.method} ${request.url} ${request.headers["content-type"]} ${body}`);
      response.statusCode = request.method === "POST" ? 201 : 200;
      response.end("{}");
    });
    const requests = [
      { method: "GET", path: "/v1/todos/1" } as const,
      { method: "POST", path: "/v1/todos", body: '{"title":"milk"}' } as const,
    ];
    const until = { seconds: 60, answers: 10 };
    const { answers, successes } = await runLoad({ origin, requests, clients: 1, until });
    expect(seen.slice(0, 3)).toEqual([
      "GET /v1/todos/1 undefined ",
      'POST /v1/todos application/json {"title":"milk"}',
      "GET /v1/todos/1 undefined ",
    ]);
    expect(answers).toHaveLength(10);
    expect(successes).toBeGreaterThanOrEqual(10);
    for (const { latencyMs } of answers) expect(latencyMs).toBeGreaterThan(0);
  });

  it("whose time is up waits until there are as many answers as clients", async () => {
    const waiting: (() => void)[] = [];
    const origin = await serve((_, response) => {
      waiting.push(() => response.end("{}"));
      if (waiting.length === 4) for (const answer of waiting.splice(0)) answer();
    });
    const until = { seconds: 0, answers: 100 };
    const { answers } = await runLoad({ ...load, origin, until });
    expect(answers).toHaveLength(4);
  });

  it("refuses answers that are not 2xx", async () => {
    const origin = await serve((_, response) => {
      response.statusCode = 404;
      response.end("{}");
    });
    const result = runLoad({ ...load, origin });
    await expect(result).rejects.toThrow(InputError);
    await expect(result).rejects.toThrow(
      /^GET http:\/\/127.0.0.1:\d+\/v1\/todos\?limit=100: expected answers 2xx only, got \d+ × HTTP 404$/,
    );
  });

  it("refuses a server that is not there", async () => {
    const origin = await serve(() => undefined);
    const gone = { ...load, origin: origin.replace(/\d+$/, "1") };
    await expect(runLoad(gone)).rejects.toThrow(/got \d+ × connect ECONNREFUSED/);
  });
});

describe("what came of a load", () => {
  const answers = [10, 20, 40].map((afterMs, index) => ({ afterMs, latencyMs: index + 1 }));

  it("is a rate and latencies", () => {
    expect(commonValues(answers, 1)).toEqual({ rate: 500, p50: 2, p99: 3 });
  });

  it("is a rate that does not depend on when the last answer of a burst comes", () => {
    const burst = Array.from({ length: 255 }, () => ({ afterMs: 10_000, latencyMs: 10_000 }));
    expect(commonValues(burst, 256).rate).toBe(25.6);
    const last = { afterMs: 20_000, latencyMs: 10_000 };
    expect(commonValues([...burst, last], 256).rate).toBe(25.6);
  });

  it("is no number without answers", () => {
    expect(commonValues([], 1)).toEqual({ rate: Number.NaN, p50: Number.NaN, p99: Number.NaN });
  });

  it("can be cut to the time of another load", () => {
    const result = { answers, successes: 3, cpuShare: 0 };
    const other = (ends: number[]) => ({
      ...result,
      answers: ends.map((afterMs) => ({ afterMs, latencyMs: 1 })),
    });
    expect(answersWhile(result, other([5, 25]))).toEqual(answers.slice(0, 2));
    expect(answersWhile(result, other([]))).toEqual([]);
  });
});

describe("what is asked for", () => {
  it("are items from the first to the last", () => {
    const paths = itemRequests(1000).map(({ path }) => path);
    expect(paths).toHaveLength(100);
    expect([paths[0], paths[1], paths.at(-1)]).toEqual([
      "/v1/todos/1",
      "/v1/todos/11",
      "/v1/todos/1000",
    ]);
    expect(new Set(itemRequests(1).map(({ path }) => path))).toEqual(new Set(["/v1/todos/1"]));
  });

  it("are pages in an order", () => {
    expect(listRequest().path).toBe("/v1/todos?limit=100");
    expect(listRequest("-title").path).toBe("/v1/todos?limit=100&sort=-title");
  });

  it("are new items whose bodies are all of one length", () => {
    const requests = createRequests();
    expect(meanBodyBytes(requests)).toBe(Buffer.byteLength('{"title":""}') + 40);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(requests.length);
    expect(meanBodyBytes([{ method: "POST", path: "/", body: '"é"' }])).toBe(4);
  });
});

describe("the prepared file", () => {
  it("has items with ids from 1 and the next id", () => {
    const { version, nextId, items } = JSON.parse(preparedFile(4));
    expect({ version, nextId }).toEqual({ version: 1, nextId: 5 });
    expect(items).toEqual(
      [1, 2, 3, 4].map((id) => ({ id, title: titleOf(id), completed: id === 1 || id === 4 })),
    );
  });

  it("has titles of 40 characters, which are all different and in no order", () => {
    const titles = Array.from({ length: 1000 }, (_, index) => titleOf(index + 1));
    expect(new Set(titles).size).toBe(1000);
    expect(titles.every(({ length }) => length === 40)).toBe(true);
    expect(titles.toSorted()).not.toEqual(titles);
  });
});
