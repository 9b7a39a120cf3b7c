import type { AddressInfo } from "node:net";
import { type FastifyInstance, fastify } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDisconnectSignal } from "../../src/http/caller.js";
import {
  DATA_EVENTS,
  JSON_LINES,
  NAMED_EVENTS,
  type StreamFormat,
  sendEventStream,
} from "../../src/http/event-stream.js";
import { deferred } from "../support/scripted-engine.js";

async function serve(
  items: () => AsyncIterator<object>,
  pingAfterMs: number,
  onLogLine: (line: string) => void = () => undefined,
  format: StreamFormat = DATA_EVENTS,
) {
  const app: FastifyInstance = fastify({
    logger: { level: "error", stream: { write: onLogLine } },
  });
  app.get("/", async (_request, reply) => {
    await sendEventStream(reply.header("x-extra", "kept"), items(), {
      format,
      printError: ({ message }) =>
        format === DATA_EVENTS ? { error: message } : { type: "error", message },
      signal: createDisconnectSignal(reply),
      pingAfterMs,
    });
    return reply;
  });
  onTestFinished(() => app.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/`);
}

/** Reads until the text received so far satisfies a condition. */
async function readUntil(response: Response, isComplete: (text: string) => boolean) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
    if (isComplete(text)) break;
  }
  return { text, readRemaining: () => readRemaining(reader) };
}

async function readRemaining(reader: ReadableStreamDefaultReader<string> | undefined) {
  let text = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
  }
  return text;
}

describe("an event stream", () => {
  it("sends headers and keep-alive comments while the first item is pending", async () => {
    const release = deferred();
    const response = await serve(async function* () {
      await release.promise;
      yield { n: 1 };
    }, 1);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-extra")).toBe("kept");
    const { text, readRemaining } = await readUntil(response, (received) =>
      received.includes(": ping\n\n"),
    );
    expect(text.replaceAll(": ping\n\n", "")).toBe("");
    release.resolve();
    expect((await readRemaining()).replaceAll(": ping\n\n", "")).toBe(
      'data: {"n":1}\n\ndata: [DONE]\n\n',
    );
  });

  it("sends no comments while items arrive", async () => {
    const response = await serve(async function* () {
      yield { n: 1 };
      yield { n: 2 };
    }, 60_000);
    expect(await response.text()).toBe('data: {"n":1}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n');
  });

  it("passes an error before the first item to the error handler", async () => {
    const response = await serve(() => {
      const failing = (async function* () {
        yield await Promise.reject<object>(new Error("early"));
      })();
      return failing;
    }, 60_000);
    expect(response.status).toBe(500);
    expect(response.headers.get("content-type")).toMatch(/json/);
  });

  it("sends a later error as the last event, without internals", async () => {
    const response = await serve(async function* () {
      yield { n: 1 };
      throw new Error("secret");
    }, 60_000);
    expect(await response.text()).toBe(
      'data: {"n":1}\n\ndata: {"error":"The server failed to answer this request."}\n\n',
    );
  });

  it("logs the cause of a later error with the request id, once", async () => {
    const lines: string[] = [];
    const failing = async function* () {
      yield { n: 1 };
      throw new Error("secret");
    };
    const response = await serve(failing, 60_000, (line) => lines.push(line));
    await response.text();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { reqId: "req-1", err: { message: "secret" } },
    ]);
  });

  it.each([
    [
      "named events",
      NAMED_EVENTS,
      /^text\/event-stream/,
      'event: a\ndata: {"type":"a"}\n\nevent: error\ndata: {"type":"error","message":"The server failed to answer this request."}\n\n',
    ],
    [
      "lines of JSON",
      JSON_LINES,
      /^application\/x-ndjson/,
      '{"type":"a"}\n{"type":"error","message":"The server failed to answer this request."}\n',
    ],
  ])("supports %s", async (_name, format, contentType, expected) => {
    const failing = async function* () {
      yield { type: "a" };
      throw new Error("secret");
    };
    const response = await serve(failing, 60_000, () => undefined, format);
    expect(response.headers.get("content-type")).toMatch(contentType);
    expect(await response.text()).toBe(expected);
  });

  it.each([
    ["data events", DATA_EVENTS],
    ["named events", NAMED_EVENTS],
    ["lines of JSON", JSON_LINES],
  ])("writes a large item in slices without pings in between, as %s", async (_, format) => {
    const item = { type: "a", texts: Array.from({ length: 100_000 }, () => "\u2028é") };
    let [turns, isPrinting] = [0, false];
    const count = () => {
      turns++;
      if (isPrinting) setImmediate(count);
    };
    const large = async function* () {
      isPrinting = true;
      setImmediate(count);
      yield item;
      isPrinting = false;
    };
    const response = await serve(large, 1, () => undefined, format);
    const expected = format.prefixOf(item) + format.print(item) + format.suffix + format.terminator;
    expect((await response.text()) === expected).toBe(true);
    expect(turns).toBeGreaterThan(20);
  });

  it("sends no pings as lines of JSON, which clients would parse", async () => {
    const release = deferred();
    const late = async function* () {
      await release.promise;
      yield { n: 1 };
    };
    const response = await serve(late, 1, () => undefined, JSON_LINES);
    release.resolve();
    expect(await response.text()).toBe('{"n":1}\n');
  });

  it.each([
    ["data events", DATA_EVENTS],
    ["named events", NAMED_EVENTS],
    ["lines of JSON", JSON_LINES],
  ])("escapes line breaks within %s, for any line separators", (_, format) => {
    const text = "a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg\r\nh";
    const printed = format.print({ type: "a", text });
    // Line breaks of Python's `splitlines`, in addition to the line feeds of the format.
    for (const lineBreak of "\u0085\u2028\u2029\u000b\u000c\u001c\u001d\u001e\r") {
      expect(printed).not.toContain(lineBreak);
    }
    const json = printed.slice(printed.indexOf("{")).trim();
    expect(JSON.parse(json)).toEqual({ type: "a", text });
  });
});
