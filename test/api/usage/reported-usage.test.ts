import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { expect, it, onTestFinished, vi } from "vitest";
import type { UsageList } from "../../../src/api/usage/answer.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";
import { storeUsageInMemory } from "../../support/usage-in-memory.js";

/** Tokens that an answer reports: of the prompt, of these the cached ones, and generated ones. */
interface Reported {
  readonly prompt: number;
  readonly cached: number;
  readonly generated: number;
}

/** A request in some dialect, and how its answer reports usage. */
interface Kind {
  readonly path: string;
  body(content: string, answers: number): object;
  read(body: string): Reported;
}

interface OpenAiUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
}

const ofOpenAi = (usage: OpenAiUsage): Reported => ({
  prompt: usage.prompt_tokens,
  cached: usage.prompt_tokens_details.cached_tokens,
  generated: usage.completion_tokens,
});

/** The value with usage among the data of server-sent events. */
function lastWithUsage(body: string) {
  const data = body.split("\n").flatMap((line) => /^data: (\{.*)/.exec(line)?.[1] ?? []);
  return data.map((text) => JSON.parse(text)).findLast(({ usage }) => usage);
}

const kinds = {
  chat: {
    path: "/v1/chat/completions",
    body: (content, n) => ({ messages: [{ role: "user", content }], n }),
    read: (body) => ofOpenAi(JSON.parse(body).usage),
  },
  "streamed chat": {
    path: "/v1/chat/completions",
    body: (content, n) => ({
      messages: [{ role: "user", content }],
      n,
      stream: true,
      stream_options: { include_usage: true },
    }),
    read: (body) => ofOpenAi(lastWithUsage(body).usage),
  },
  completion: {
    path: "/v1/completions",
    body: (content, prompts) => ({ prompt: new Array(prompts).fill(content) }),
    read: (body) => ofOpenAi(JSON.parse(body).usage),
  },
  message: {
    path: "/v1/messages",
    body: (content) => ({ max_tokens: 50, messages: [{ role: "user", content }] }),
    read(body) {
      const { usage } = JSON.parse(body);
      const cached = usage.cache_read_input_tokens;
      return { prompt: usage.input_tokens + cached, cached, generated: usage.output_tokens };
    },
  },
  response: {
    path: "/v1/responses",
    body: (content) => ({ input: content }),
    read(body) {
      const { usage } = JSON.parse(body);
      return {
        prompt: usage.input_tokens,
        cached: usage.input_tokens_details.cached_tokens,
        generated: usage.output_tokens,
      };
    },
  },
} satisfies Record<string, Kind>;

const names = ["alice", "bob"] as const;

/** Usage of each key and route, as `GET /v1/usage` reports it. */
async function readUsage(app: FastifyInstance) {
  const response = await app.inject({
    url: "/v1/usage?limit=1&group_by=key,api",
    headers: { authorization: "Bearer admin-key" },
  });
  const { data } = response.json<UsageList>();
  const results = data.flatMap(({ results }) => results);
  return new Map(
    results.map((one) => [
      `${one.api_key_id} ${one.api}`,
      [one.num_model_requests, one.input_tokens, one.input_cached_tokens, one.output_tokens],
    ]),
  );
}

it("usage is the sum of the usage that answers have reported, whatever runs at once", async () => {
  // The day must not change between requests and reading.
  vi.useFakeTimers({ now: Date.parse("2026-11-02T12:00:00Z"), toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const store = storeUsageInMemory();
  const engine = new ScriptedEngine(
    ({ prompt }, choice) => ({ parts: new Array(prompt.messages.length + choice + 1).fill("a") }),
    { slots: 4, rawScript: () => ({ parts: ["a", "b", "c"] }) },
  );
  const { app } = buildTestApp(engine, {
    usage: store,
    keyLines: [
      "admin-key name=root scopes=admin",
      ...names.map((name) => `${name}-key name=${name}`),
    ],
  });
  onTestFinished(() => app.close());
  const expected = new Map<string, number[]>();
  const ask = async (name: string, kind: Kind, content: string, answers: number) => {
    const response = await app.inject({
      method: "POST",
      url: kind.path,
      headers: { authorization: `Bearer ${name}-key` },
      payload: kind.body(content, answers),
    });
    expect(response.statusCode).toBe(200);
    const { prompt, cached, generated } = kind.read(response.body);
    const id = `${name} ${kind.path}`;
    const sums = expected.get(id) ?? [0, 0, 0, 0];
    expected.set(
      id,
      [1, prompt, cached, generated].map((value, index) => value + (sums[index] ?? 0)),
    );
  };
  const request = fc.record({
    name: fc.constantFrom(...names),
    kind: fc.constantFrom<Kind>(...Object.values(kinds)),
    content: fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom("a", "b", " c") }),
    answers: fc.integer({ min: 1, max: 3 }),
  });
  const requests = fc.array(request, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(requests, async (concurrent) => {
      await Promise.all(
        concurrent.map(({ name, kind, content, answers }) => ask(name, kind, content, answers)),
      );
      expect(await readUsage(app)).toEqual(expected);
    }),
    { numRuns: 20, endOnFailure: true },
  );
});
