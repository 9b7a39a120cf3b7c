import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../src/page/api/api-error.js";
import { createClient } from "../../../src/page/api/client.js";

function clientOf(answer: () => Response | Promise<Response>, key?: string) {
  const fetch = vi.fn(async (_path: unknown, _init?: RequestInit) => answer());
  const onKeyRefused = vi.fn((_reason: string) => {});
  return { client: createClient({ key: () => key, onKeyRefused, fetch }), fetch, onKeyRefused };
}

function streamOf(...pieces: readonly string[]): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    }),
  );
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const read: Value[] = [];
  for await (const value of values) read.push(value);
  return read;
}

describe("a request by the page", () => {
  it("has an Authorization header, and a JSON body", async () => {
    const { client, fetch } = clientOf(() => Response.json({ ok: true }), "a-key");
    expect(await client.json("/v1/x", { method: "POST", body: { a: 1 } })).toEqual({ ok: true });
    expect(fetch).toHaveBeenCalledWith("/v1/x", {
      method: "POST",
      headers: { authorization: "Bearer a-key", "content-type": "application/json" },
      cache: "no-store",
      body: '{"a":1}',
    });
  });

  it("has a form without the type of JSON, and may read a file", async () => {
    const { client, fetch } = clientOf(() => new Response("text"), "a-key");
    const form = new FormData();
    const file = await client.blob("/v1/x", { method: "POST", form });
    expect(await file.text()).toBe("text");
    expect(fetch).toHaveBeenCalledWith("/v1/x", {
      method: "POST",
      headers: { authorization: "Bearer a-key" },
      cache: "no-store",
      body: form,
    });
  });

  it("is sent to a path under the prefix of the page", async () => {
    const fetch = vi.fn(async () => Response.json({}));
    const key = () => undefined;
    const client = createClient({ pathPrefix: "/llm", key, onKeyRefused: () => undefined, fetch });
    await client.json("/v1/x");
    expect(fetch).toHaveBeenCalledWith("/llm/v1/x", expect.anything());
  });

  it("has no Authorization header without a key", async () => {
    const { client, fetch } = clientOf(() => new Response(null, { status: 204 }));
    expect(await client.json("/v1/x", { method: "DELETE" })).toBeUndefined();
    expect(fetch.mock.lastCall?.[1]?.headers).toEqual({});
  });

  it("fails with the server's error message", async () => {
    const body = {
      error: { message: "temperature: expected at most 2, got 3", code: "invalid_request" },
    };
    const { client } = clientOf(() => Response.json(body, { status: 400 }));
    await expect(client.json("/v1/x")).rejects.toMatchObject({
      status: 400,
      code: "invalid_request",
      message: "temperature: expected at most 2, got 3",
    });
  });

  it.each([
    ["Ollama's error format", JSON.stringify({ error: "no such model" }), "no such model"],
    ["an HTML page from a proxy", "<h1>Bad gateway</h1>", "The server answered with status 502."],
    ["unexpected JSON", "[1]", "The server answered with status 502."],
  ])("fails with a readable message for %s", async (_name, text, message) => {
    const { client } = clientOf(() => new Response(text, { status: 502 }));
    await expect(client.json("/v1/x")).rejects.toThrow(message);
  });

  it("reports that the API key was rejected", async () => {
    const body = {
      error: { message: "Invalid API key.", code: "invalid_api_key" },
    };
    const { client, onKeyRefused } = clientOf(() => Response.json(body, { status: 401 }), "wrong");
    await expect(client.text("/v1/x")).rejects.toBeInstanceOf(ApiError);
    expect(onKeyRefused).toHaveBeenCalledWith("Invalid API key.");
  });

  it("distinguishes an unreachable server from an error response", async () => {
    const { client } = clientOf(() => Promise.reject(new TypeError("Failed to fetch")));
    await expect(client.json("/v1/x")).rejects.toMatchObject({ status: 0, code: "unreachable" });
  });
});

describe("a streamed response", () => {
  it("yields the data of each server-sent event, for any chunking", async () => {
    const text =
      'event: a\r\ndata: {"n":1}\r\n\r\n: a comment\n\ndata: {"n":\ndata: 2}\n\ndata: [DONE]\n\n';
    const whole = clientOf(() => streamOf(text)).client;
    const cut = clientOf(() => streamOf(...text)).client;
    expect(await all(whole.events("/s"))).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await all(cut.events("/s"))).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("decodes characters that are split between chunks", async () => {
    const bytes = new TextEncoder().encode('data: "é😀"\n\n');
    const { client } = clientOf(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
              controller.close();
            },
          }),
        ),
    );
    expect(await all(client.events("/s"))).toEqual(["é😀"]);
  });

  it("can be read as JSON lines", async () => {
    const { client } = clientOf(() => streamOf('{"a":1}\n{"a"', ":2}\n\n", '{"a":3}'));
    expect(await all(client.lines("/s"))).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  it("fails as a lost connection when it is interrupted", async () => {
    const { client } = clientOf(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('data: {"n":1}\n\n'));
            },
            pull(controller) {
              controller.error(new TypeError("network error"));
            },
          }),
        ),
    );
    await expect(all(client.events("/s"))).rejects.toMatchObject({ status: 0 });
  });
});
