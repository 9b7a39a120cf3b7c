/**
 * Requests of clients that cannot run here, taken from their documentation and source code.
 */
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { RawGenerationRequest } from "../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { eventData, eventJson } from "../support/server-sent-events.js";
import { buildTestApp } from "../support/test-app.js";

const script = () => ({ parts: ["One", " two", " three"], ending: "length" as const });

async function post(url: string, payload: object) {
  const { app } = buildTestApp(new ScriptedEngine(script, { rawScript: script }));
  const response = await app.inject({
    method: "POST",
    url,
    payload,
    headers: { authorization: "Bearer none" },
  });
  expect(response.statusCode, response.body).toBe(200);
  return response;
}

interface Chunk {
  readonly choices: readonly { readonly text?: string; readonly delta?: { content?: string } }[];
  readonly usage?: { readonly completion_tokens: number } | null;
}

const messages = [{ role: "user", content: "Count." }];

describe("vllm bench serve", () => {
  it("can measure completions", async () => {
    const { body } = await post("/v1/completions", {
      model: "scripted",
      prompt: "Count.",
      temperature: 0.0,
      repetition_penalty: 1.0,
      max_tokens: 3,
      logprobs: null,
      stream: true,
      stream_options: { include_usage: true },
      ignore_eos: true,
    });
    const chunks = eventJson<Chunk>(body);
    expect(chunks.flatMap(({ choices }) => choices.map(({ text }) => text)).join("")).toBe(
      "One two three",
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
    expect(eventData(body).at(-1)).toBe("[DONE]");
  });

  it("can measure chat completions", async () => {
    const { body } = await post("/v1/chat/completions", {
      model: "scripted",
      messages: [{ role: "user", content: [{ type: "text", text: "Count." }] }],
      temperature: 0.0,
      max_completion_tokens: 3,
      stream: true,
      stream_options: { include_usage: true },
      ignore_eos: true,
    });
    expect(eventJson<Chunk>(body).at(-1)).toMatchObject({ usage: { completion_tokens: 3 } });
  });
});

it("guidellm receives the usage in every chunk", async () => {
  const { body } = await post("/v1/completions", {
    model: "scripted",
    prompt: "Count.",
    stream: true,
    stream_options: { include_usage: true, continuous_usage_stats: true },
    max_tokens: 3,
    max_completion_tokens: 3,
    stop: null,
    ignore_eos: true,
  });
  const counts = eventJson<Chunk>(body).map(({ usage }) => usage?.completion_tokens);
  expect(counts).toEqual([1, 2, 3, 3, 3]);
});

it("genai-perf receives the fixed number of tokens that it requests", async () => {
  const { body } = await post("/v1/chat/completions", {
    model: "scripted",
    messages,
    stream: true,
    max_tokens: 3,
    min_tokens: 3,
    ignore_eos: true,
  });
  expect(eventJson<Chunk>(body).flatMap(({ choices }) => choices)).toHaveLength(4);
});

/** The dozens of stop strings that Continue sends with a code completion. */
const continueStops = [
  ...[
    "<fim_prefix>",
    "<fim_suffix>",
    "<fim_middle>",
    "<file_sep>",
    "<|endoftext|>",
    "</fim_middle>",
  ],
  ...["</code>", "/src/", "#- coding: utf-8", "```", "\n\n", "\r\n\r\n", "\nfunction", "\nclass"],
];

it("Continue completes code through llama.cpp's API", async () => {
  const { body, headers } = await post("/completion", {
    prompt: "<fim_prefix>const one = <fim_suffix>;<fim_middle>",
    stream: true,
    n_predict: 3,
    stop: continueStops,
    temperature: 0.01,
  });
  expect(headers["content-type"]).toContain("text/event-stream");
  const pieces = eventJson<{ readonly content: string; readonly stop: boolean }>(body);
  expect(pieces.map(({ content }) => content).join("")).toBe("One two three");
  expect(pieces.map(({ stop }) => stop)).toEqual([false, false, false, true]);
});

it("SillyTavern continues a chat through llama.cpp's API", async () => {
  const { app } = buildTestApp(new ScriptedEngine(script));
  expect((await app.inject("/props")).json()).toMatchObject({ chat_template: expect.any(String) });
  const response = await post("/completion", {
    prompt: "You:",
    max_new_tokens: 3,
    max_tokens: 3,
    n_predict: 3,
    n: 1,
    n_probs: 10,
    temperature: 1,
    top_p: 1,
    typical_p: 1,
    typical: 1,
    top_k: 0,
    min_p: 0.1,
    repetition_penalty: 1,
    repeat_penalty: 1,
    repeat_last_n: 0,
    frequency_penalty: 0,
    presence_penalty: 0,
    min_tokens: 0,
    min_keep: 0,
    top_n_sigma: 0,
    mirostat: 0,
    mirostat_tau: 5,
    mirostat_eta: 0.1,
    adaptive_target: -0.01,
    adaptive_decay: 0.9,
    dry_multiplier: 0,
    dry_base: 1.75,
    dry_allowed_length: 2,
    dry_penalty_last_n: 0,
    dry_sequence_breakers: ["\n", ":", '"', "*"],
    xtc_threshold: 0.1,
    xtc_probability: 0,
    samplers: [
      ...["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc"],
      ...["temperature", "adaptive_p"],
    ],
    stop: ["\nYou:", "\nUser:", "\n***", "<|im_end|>", "\nSystem:"],
    stopping_strings: ["\nYou:"],
    logit_bias: [[7, false]],
    grammar: "",
    json_schema: {},
    skip_special_tokens: true,
    add_bos_token: true,
    ignore_eos: false,
    truncation_length: 2048,
    num_ctx: 2048,
    cache_prompt: true,
    stream: false,
  });
  expect(response.json()).toMatchObject({ content: "One two three", stop_type: "limit" });
});

it("aider and LiteLLM can send their additional fields in a chat", async () => {
  const response = await post("/v1/chat/completions", {
    model: "scripted",
    messages: [{ role: "system", content: "Be brief." }, ...messages],
    temperature: 0,
    stream: false,
    n: 1,
    extra_headers: {},
    drop_params: true,
    user: "someone",
  });
  expect(response.json()).toMatchObject({ choices: [{ finish_reason: "length" }] });
});

it("lm-evaluation-harness receives the log-probabilities of contexts and continuations", async () => {
  const letters = (tokens: readonly number[]) =>
    tokens.map((token, index) => ({
      id: token,
      bytes: [token],
      ...(index > 0 && { logProbability: -index }),
      top: [{ id: 1, bytes: [token], logProbability: -index }],
    }));
  const rawScript = ({ prompt }: RawGenerationRequest): Script => ({
    parts: [{ promptScores: prompt.type === "tokens" ? letters(prompt.tokens) : [] }],
    ending: "length",
    endScores: [{ id: 1, bytes: [], controlText: "</s>", logProbability: -0.1, top: [] }],
  });
  const { app } = buildTestApp(new ScriptedEngine(script, { rawScript, slots: 4 }));
  const payload = {
    model: "scripted",
    prompt: [
      [97, 98, 99],
      [97, 98, 100, 101],
    ],
    temperature: 0,
    max_tokens: 1,
    logprobs: 1,
    seed: 1234,
    echo: true,
  };
  const response = await app.inject({ method: "POST", url: "/v1/completions", payload });
  const { choices } = response.json<OpenAI.Completion>();
  // The client excludes the generated token and adds the tokens after the context.
  const contextTokens = 2;
  const sums = choices
    .toSorted((a, b) => a.index - b.index)
    .map(({ logprobs }) => {
      const own = logprobs?.token_logprobs?.slice(contextTokens, -1) ?? [];
      const top = logprobs?.top_logprobs?.slice(contextTokens, -1) ?? [];
      const isGreedy = own.every(
        (one, index) => one === Math.max(...Object.values(top[index] ?? {})),
      );
      return [own.reduce((sum, one) => sum + one, 0), isGreedy];
    });
  expect(sums).toEqual([
    [-2, true],
    [-5, true],
  ]);
});

it("Open WebUI lists models and chats through the Ollama API", async () => {
  const { app } = buildTestApp(new ScriptedEngine(script));
  const { models } = (await app.inject("/api/tags")).json();
  expect(models).toMatchObject([{ model: expect.stringContaining("scripted") }]);
  const { body } = await post("/api/chat", {
    model: models[0].model,
    messages,
    options: { temperature: 0.7, num_ctx: 2048 },
    stream: true,
    keep_alive: "5m",
  });
  expect(JSON.parse(body.trim().split("\n").at(-1) ?? "")).toMatchObject({
    done: true,
    done_reason: "length",
    eval_count: 3,
  });
});

it("Home Assistant calls tools through the Ollama API", async () => {
  const call = { id: "call_1", name: "HassTurnOn", arguments: '{"name":"lamp"}' };
  const { app } = buildTestApp(
    new ScriptedEngine(() => ({ parts: [{ call }], ending: "tool-calls" })),
  );
  const response = await app.inject({
    method: "POST",
    url: "/api/chat",
    payload: {
      model: "scripted:latest",
      messages: [{ role: "system", content: "You control a home." }, ...messages],
      tools: [
        {
          type: "function",
          function: {
            name: "HassTurnOn",
            description: "Turns on a device",
            parameters: { type: "object", properties: { name: { type: "string" } } },
          },
        },
      ],
      stream: true,
      keep_alive: "-1s",
      options: { num_ctx: 8192 },
    },
  });
  expect(response.statusCode, response.body).toBe(200);
  expect(response.body).toContain('"tool_calls":[{');
  expect(response.body).toContain('"arguments":{"name":"lamp"}');
});
