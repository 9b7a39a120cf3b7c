import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { type RunningApp, runApp } from "../support/running-app.js";

const keyed = { keyLines: ["a name=alice", "b name=bob"] };
let server: RunningApp;
let keyless: RunningApp;
beforeAll(async () => {
  // In the unified layout, states do not overwrite each other, so none is evicted.
  const settings = { slots: 3, contextSize: 2048, kvCacheLayout: "unified" } as const;
  const open = () => openEngine(tinyModel(), settings);
  server = await runApp(await open(), keyed);
  keyless = await runApp(await open());
});
afterAll(() => Promise.all([server.close(), keyless.close()]));

async function post(path: string, body: object, key: string, { url } = server) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

const guess = (subject: string) =>
  `${subject} is what I ask, and nobody else is to know. `.repeat(6);
const messagesOf = (content: string) => [{ role: "user", content }];
const plain = { temperature: 0, max_tokens: 2 };

/** Cached tokens reported by each endpoint, with and without streaming. */
const endpoints: readonly [path: string, body: (text: string) => object, told: RegExp][] = [
  [
    "/v1/chat/completions",
    (text) => ({ messages: messagesOf(text), ...plain, stream_options: { include_usage: true } }),
    /"(?:cached_tokens|cache_n)":(\d+)/g,
  ],
  [
    "/v1/completions",
    (prompt) => ({ prompt, ...plain, stream_options: { include_usage: true } }),
    /"(?:cached_tokens|cache_n)":(\d+)/g,
  ],
  ["/completion", (prompt) => ({ prompt, ...plain }), /"(?:tokens_cached|cache_n)":(\d+)/g],
  [
    "/v1/responses",
    (input) => ({ input, temperature: 0, max_output_tokens: 16 }),
    /"cached_tokens":(\d+)/g,
  ],
  [
    "/v1/messages",
    (text) => ({ model: "scripted", messages: messagesOf(text), ...plain }),
    /"cache_read_input_tokens":(\d+)/g,
  ],
];

const requests = endpoints.flatMap(([path, body, told]) =>
  [false, true].map((stream) => ({ path, stream, body, told })),
);

describe.each(requests)("the cached tokens reported by $path (stream: $stream)", (request) => {
  const { path, stream, body, told } = request;
  const ask = async (text: string, key: string, asked = server) => {
    const answer = await post(path, { ...body(text), stream }, key, asked);
    const counts = [...answer.matchAll(told)].map(([, count]) => Number(count));
    expect(counts, answer).not.toEqual([]);
    return Math.max(...counts);
  };

  it("include only tokens from the key's own requests, even if another key has sent the whole prompt", async () => {
    const secret = guess(`${stream} ${path}`);
    await ask(secret, "a");
    // Starts with words common to all prompts, as with a chat template.
    await ask("Hello!", "b");
    const guessed = await ask(secret, "b");
    expect(guessed).toBeLessThan(20);
    expect(await ask(secret, "b")).toBeGreaterThan(100);
  });

  it("include all cached tokens on a server without keys", async () => {
    const secret = guess(`${stream} ${path}`);
    await ask(secret, "a", keyless);
    expect(await ask(secret, "b", keyless)).toBeGreaterThan(100);
  });
});

it("the operator's metrics include tokens reused from the prompts of other keys", async () => {
  const engine = await openEngine(tinyModel(), { slots: 3, contextSize: 1024 });
  const metered = await runApp(engine, keyed);
  const cached = () => engine.statistics?.cachedTokens.kv;
  const body = { prompt: guess("one thing"), ...plain };
  await post("/completion", body, "a", metered);
  expect(cached()).toBe(0);
  await post("/completion", body, "b", metered);
  expect(cached()).toBeGreaterThan(100);
  await metered.close();
});
