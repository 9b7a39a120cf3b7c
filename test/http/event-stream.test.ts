import type { AddressInfo } from "node:net";
import { type FastifyInstance, fastify } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { clientGone } from "../../src/http/client-gone.js";
import { sendEventStream } from "../../src/http/event-stream.js";
import { deferred } from "../support/scripted-engine.js";

async function serve(items: () => AsyncIterator<object>, pingAfterMs: number) {
  const app: FastifyInstance = fastify();
  app.get("/", async (_request, reply) => {
    await sendEventStream(reply.header("x-extra", "kept"), items(), {
      printError: ({ message }) => ({ error: message }),
      terminator: "[DONE]",
      signal: clientGone(reply),
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
async function readUntil(response: Response, isEnough: (text: string) => boolean) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
    if (isEnough(text)) break;
  }
  return { text, rest: () => readRest(reader) };
}

async function readRest(reader: ReadableStreamDefaultReader<string> | undefined) {
  let text = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
  }
  return text;
}

describe("an event stream", () => {
  it("sends headers and comments while the first item lets itself be waited for", async () => {
    const release = deferred();
    const response = await serve(async function* () {
      await release.promise;
      yield { n: 1 };
    }, 1);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-extra")).toBe("kept");
    const { text, rest } = await readUntil(response, (received) => received.includes(": ping\n\n"));
    expect(text.replaceAll(": ping\n\n", "")).toBe("");
    release.resolve();
    expect((await rest()).replaceAll(": ping\n\n", "")).toBe('data: {"n":1}\n\ndata: [DONE]\n\n');
  });

  it("sends no comment while items come", async () => {
    const response = await serve(async function* () {
      yield { n: 1 };
      yield { n: 2 };
    }, 60_000);
    expect(await response.text()).toBe('data: {"n":1}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n');
  });

  it("leaves an error before the first item to the error handler", async () => {
    const response = await serve(() => {
      const failing = (async function* () {
        yield await Promise.reject<object>(new Error("early"));
      })();
      return failing;
    }, 60_000);
    expect(response.status).toBe(500);
    expect(response.headers.get("content-type")).toMatch(/json/);
  });

  it("turns a later error into a last event without internals", async () => {
    const response = await serve(async function* () {
      yield { n: 1 };
      throw new Error("secret");
    }, 60_000);
    expect(await response.text()).toBe(
      'data: {"n":1}\n\ndata: {"error":"The server failed to answer this request."}\n\n',
    );
  });
});
