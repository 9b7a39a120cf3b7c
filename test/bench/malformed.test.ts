import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Exchange, exchange, statusesIn } from "../../bench/malformed/exchange.js";
import { judge } from "../../bench/malformed/judge.js";
import { idleRequest, malformedRequest } from "../../bench/malformed/malformed-request.js";
import { mutateJson } from "../../bench/malformed/mutate-json.js";
import { type Duty, type RawRequest, requestBytes } from "../../bench/malformed/raw-request.js";
import { validRequests } from "../../bench/malformed/valid-bodies.js";
import {
  malformedMeasures,
  malformedSamples,
  type Sent,
} from "../../bench/scenarios/malformed-measures.js";
import { Random } from "../../models/random/random-choices.js";
import { runApp } from "../support/running-app.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";

const destination = { host: "127.0.0.1:80", model: "scripted" };
const drawn = Array.from({ length: 2000 }, (_, seed) =>
  malformedRequest(destination, new Random(seed)),
);

describe("malformed requests", () => {
  it("are the same for the same seed", () => {
    for (const seed of [1, 99]) {
      expect(malformedRequest(destination, new Random(seed))).toEqual(
        malformedRequest(destination, new Random(seed)),
      );
    }
    expect(new Set(drawn.map(({ bytes }) => bytes.toString("latin1"))).size).toBeGreaterThan(1200);
  });

  it("are of all kinds, half of them mutated JSON", () => {
    const share = (kind: string) =>
      drawn.filter((request) => request.kind === kind).length / drawn.length;
    expect(share("json")).toBeCloseTo(0.5, 1);
    for (const kind of ["truncated", "framing", "line", "huge", "encoding"]) {
      expect(share(kind)).toBeGreaterThan(0.01);
    }
  });

  it("have an answer that is due only if HTTP itself is well-formed", () => {
    for (const { kind, duty } of drawn) {
      expect(duty === "answer").toBe(kind === "json" || kind === "encoding");
    }
  });

  it("wait in the middle of a request, if they are idle", () => {
    const { bytes, behind } = idleRequest(destination, new Random(1));
    expect(behind).toBe("wait");
    expect(bytes.toString("latin1")).toMatch(/^P/);
  });
});

describe("a mutated JSON text", () => {
  const body = { a: 1, b: [{ c: "d" }, null] };
  const mutated = Array.from({ length: 3000 }, (_, seed) => mutateJson(body, new Random(seed)));

  it("differs from the body nearly always, at one path", () => {
    const same = mutated.filter(({ text }) => text === JSON.stringify(body));
    expect(same.length).toBeLessThan(mutated.length / 10);
    const mutations = new Map(mutated.map(({ text, mutation }) => [mutation, text]));
    expect(mutations.get("no a")).toBe('{"b":[{"c":"d"},null]}');
    expect(mutations.get("b.0.c is {}")).toBe('{"a":1,"b":[{"c":{}},null]}');
    expect(mutations.get("b.1 is 01")).toBe('{"a":1,"b":[{"c":"d"},01]}');
    expect(mutations.get("all members twice")).toBe(
      '{"a":1,"b":[{"c":"d"},null],"a":1,"b":[{"c":"d"},null]}',
    );
  });

  it("is no JSON at all in some cases, and in others JSON with other values", () => {
    const valid = mutated.filter(({ text }) => isJson(text));
    expect(valid.length / mutated.length).toBeGreaterThan(0.4);
    expect(valid.length / mutated.length).toBeLessThan(0.9);
  });
});

describe("the bodies that are mutated", () => {
  it("are valid: they are answered, or there is no model for them", async () => {
    const engine = new ScriptedEngine(() => ({ parts: ["a"], ending: "stop" }), {
      contextSize: 100_000,
      media: ["image"],
      rawScript: () => ({ parts: ["a"], ending: "stop" }),
    });
    const todos = storeInMemory();
    await todos.create({ title: "first", completed: false });
    const { url, close } = await runApp(engine, {
      todos,
      mediaLimits: { files: 4, fileBytes: 100_000, totalBytes: 100_000 },
    });
    onTestFinished(close);
    const { host } = new URL(url);
    const answers = validRequests("scripted").map(async ({ method, path, body }) => {
      const bytes = requestBytes({ method, path, host, body: JSON.stringify(body) });
      const { statuses, answer } = await exchange(new URL(url), { bytes, behind: "wait" }, 20_000);
      return { path, statuses, answer };
    });
    for (const { path, statuses, answer } of await Promise.all(answers)) {
      const expected = /embeddings|rerank/.test(path) ? [400] : [200, 201];
      expect(expected, `${path}: ${answer}`).toContain(statuses[0]);
    }
  });
});

describe("an exchange", () => {
  /** Starts a server with this connection handler. */
  async function serverThat(handle: (socket: Socket) => void): Promise<URL> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => undefined);
      handle(socket);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return new URL(`http://127.0.0.1:${address.port}`);
  }
  const bytes = Buffer.from("x");

  it("has the statuses of all answers until the connection is closed", async () => {
    const url = await serverThat((socket) =>
      socket.end("HTTP/1.1 400 Bad\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n"),
    );
    expect(await exchange(url, { bytes, behind: "wait" }, 20_000)).toMatchObject({
      statuses: [400, 200],
      end: "closed",
    });
  });

  it("is closed without an answer when the server disconnects, or is not there", async () => {
    const url = await serverThat((socket) => socket.destroy());
    const nothing = { statuses: [], answer: "", end: "closed" };
    expect(await exchange(url, { bytes, behind: "wait" }, 20_000)).toEqual(nothing);
    expect(await exchange(new URL("http://127.0.0.1:1"), { bytes, behind: "end" }, 20_000)).toEqual(
      nothing,
    );
  });

  it("is silent after the timeout, even if an answer came before", async () => {
    const url = await serverThat((socket) => void socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    expect(await exchange(url, { bytes, behind: "wait" }, 200)).toMatchObject({
      statuses: [200],
      end: "silent",
    });
  });

  it("ends its side of the connection on request", async () => {
    const url = await serverThat((socket) => {
      socket.resume().on("end", () => socket.end("HTTP/1.1 408 Late\r\n\r\n"));
    });
    expect(await exchange(url, { bytes, behind: "end" }, 20_000)).toMatchObject({
      statuses: [408],
    });
  });

  it("does not take 100 Continue for an answer", () => {
    expect(statusesIn("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 413 Too\r\n\r\n")).toEqual([413]);
  });
});

describe("the judgement of an answer", () => {
  const closed = (...statuses: number[]): Exchange => ({ statuses, answer: "", end: "closed" });
  const silent = (...statuses: number[]): Exchange => ({ statuses, answer: "", end: "silent" });
  it.each<[Duty, Exchange, string | undefined]>([
    ["answer", closed(400), undefined],
    ["answer", closed(200), undefined],
    ["answer", closed(503), undefined],
    ["answer", closed(501), undefined],
    ["answer", closed(500), "server error"],
    ["answer", closed(502), "server error"],
    ["answer", closed(), "no answer"],
    ["answer", silent(200), "no answer"],
    ["answer or close", closed(), undefined],
    ["answer or close", closed(400, 500), "server error"],
    ["answer or close", silent(), "no answer"],
    ["refuse or close", closed(400), undefined],
    ["refuse or close", closed(), undefined],
    ["refuse or close", closed(200), "accepted"],
    ["refuse or close", closed(400, 200), "accepted"],
  ])("with the duty to %s is, of %j: %s", (duty, answer, offence) => {
    expect(judge({ duty }, answer)).toBe(offence);
  });
});

describe("the measures of malformed", () => {
  const request: RawRequest = {
    ...({ kind: "json", name: "n", duty: "answer", behind: "wait" } as const),
    bytes: Buffer.from("POST é", "latin1"),
  };
  const failed: Exchange = { statuses: [500], answer: "HTTP/1.1 500 Oops", end: "closed" };
  const sent: readonly Sent[] = [
    { request, answer: { ...failed, statuses: [400] }, offence: undefined },
    { request, answer: failed, offence: "server error" },
    {
      request: { ...request, kind: "huge" },
      answer: { ...failed, statuses: [503] },
      offence: undefined,
    },
  ];

  it("count faults by kind, and the growth of memory, in all and late", () => {
    const readings = [100, 140, 150, 150, 156, 153].map((megabytes) => ({
      server: megabytes * 1e6,
      engine: 0,
    }));
    expect(malformedMeasures({ sent, readings, crashes: 2, unserved: 1 })).toEqual({
      ...{ crashes: 2, serverErrors: 1, unanswered: 0, accepted: 0, overloaded: 1 },
      ...{ unserved: 1, sent: 3, growth: 53, drift: 4.5 },
    });
  });

  it("show the first request of each kind that did harm", () => {
    const [huge, json] = malformedSamples(sent);
    expect(huge).toMatchObject({ kind: "huge", requests: 1, "5xx": 1, "first fault": "none" });
    expect(json).toMatchObject({
      ...{ kind: "json", requests: 2, "4xx": 1, "5xx": 1, faults: 1 },
      "first fault": 'server error (n): "POST é" → "HTTP/1.1 500 Oops"',
    });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
