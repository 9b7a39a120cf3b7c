import { describe, expect, it } from "vitest";
import type { Todo } from "../../src/todos/todo.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { ALIAS, buildTestApp } from "../support/test-app.js";

const scores = Array.from({ length: 10_000 }, () => ({
  id: 1,
  bytes: [0x61],
  logProbability: -1,
  top: [{ id: 1, bytes: [0x61], logProbability: -1 }],
}));
const script = { parts: [{ promptScores: scores }, { text: "a", scores }] };
const engine = new ScriptedEngine(() => script, { rawScript: () => script });
const text = (characters: number) => "é".repeat(characters);

const todos: readonly Todo[] = Array.from({ length: 20_000 }, (_, index) => ({
  id: index + 1,
  title: "milk",
  completed: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
}));

const messages = [{ role: "user", content: "a" }];

function app() {
  const unused = () => Promise.reject(new Error("unused"));
  return buildTestApp(engine, {
    todos: {
      list: () => todos,
      readPage: async () => ({ items: [], next: undefined }),
      find: () => {
        throw new Error("unused");
      },
      create: unused,
      change: unused,
      remove: unused,
    },
  }).app;
}

/** Event-loop iterations available to other requests from a request to the end of its answer. */
async function turnsDuring(request: () => Promise<unknown>): Promise<number> {
  let [turns, isAnswering] = [0, true];
  const count = () => {
    turns++;
    if (isAnswering) setImmediate(count);
  };
  setImmediate(count);
  await request();
  isAnswering = false;
  return turns;
}

describe("other requests are served during serialisation of an answer that", () => {
  it.each([
    ["contains the pieces of a text", 50_000, { with_pieces: true }],
    ["contains the texts of tokens", 100_000, { return_token_strs: true }],
    ["contains the tokens of a text", 200_000, {}],
  ])("%s", async (_, characters, wanted) => {
    const server = app();
    await server.ready();
    const turns = await turnsDuring(async () => {
      const response = await server.inject({
        method: "POST",
        url: "/tokenize",
        payload: { content: text(characters), ...wanted },
      });
      expect(response.json()).toMatchObject({ count: characters });
    });
    expect(turns).toBeGreaterThan(20);
  });

  it("contains many to-dos", async () => {
    const server = app();
    await server.ready();
    const turns = await turnsDuring(async () => {
      const response = await server.inject("/api/todos");
      expect(response.json()).toHaveLength(todos.length);
    });
    expect(turns).toBeGreaterThan(20);
  });

  it.each([
    ["/v1/chat/completions", { messages, logprobs: true }],
    ["/v1/completions", { prompt: "a", logprobs: 1, echo: true }],
    ["/completion", { prompt: "a", n_probs: 1 }],
    ["/api/chat", { model: ALIAS, messages, stream: false, logprobs: true, top_logprobs: 1 }],
    ["/v1/responses", { input: "a", include: ["message.output_text.logprobs"] }],
    ["/v1/responses", { input: "a", include: ["message.output_text.logprobs"], stream: true }],
  ])("contains the log-probabilities of many tokens, at %s", async (url, payload) => {
    const server = app();
    await server.ready();
    const turns = await turnsDuring(async () => {
      const { body } = await server.inject({ method: "POST", url, payload });
      expect(body.match(/-1\b/g)?.length).toBeGreaterThanOrEqual(scores.length);
    });
    expect(turns).toBeGreaterThan(8);
  });

  it("contains a long text", async () => {
    const server = app();
    await server.ready();
    const turns = await turnsDuring(async () => {
      const messages = [{ role: "user", content: "x".repeat(3_000_000) }];
      const response = await server.inject({
        method: "POST",
        url: "/apply-template",
        payload: { messages },
      });
      expect(response.json().prompt.length).toBeGreaterThanOrEqual(3_000_000);
    });
    expect(turns).toBeGreaterThan(20);
  });
});
