import type { ChatCompletion } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import type { Script } from "../../support/scripted-engine.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { ALIAS, buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hi" }];

function serve(script: Script = { parts: ["Hel", "lo"] }) {
  const engine = new ScriptedEngine(() => script);
  const { app } = buildTestApp(engine);
  const post = (payload: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload });
  return { engine, app, post };
}

describe("POST /v1/chat/completions", () => {
  it("returns a completion in OpenAI's format, with usage and llama-server's timings", async () => {
    const { post } = serve();
    const response = await post({ model: ALIAS, messages });
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toMatch(/^application\/json/);
    const body = response.json<ChatCompletion>();
    expect(body.id).toMatch(/^chatcmpl-/);
    expect(Math.abs(body.created - Date.now() / 1000)).toBeLessThan(60);
    expect(body).toMatchObject({
      object: "chat.completion",
      model: ALIAS,
      system_fingerprint: "ggufd_scripted",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hello", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 2,
        completion_tokens: 2,
        total_tokens: 4,
        prompt_tokens_details: { cached_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
      timings: {
        ...{
          cache_n: 1,
          prompt_n: 1,
          prompt_ms: 2,
          prompt_per_token_ms: 2,
          prompt_per_second: 500,
        },
        ...{ predicted_n: 2, predicted_ms: 3, predicted_per_token_ms: 3 },
      },
    });
    expect(body.choices[0]?.message).not.toHaveProperty("tool_calls");
  });

  it("reports the finish reason length at the token limit", async () => {
    const { post } = serve({ parts: ["a"], ending: "length" });
    const { choices } = (await post({ messages, max_tokens: 1 })).json<ChatCompletion>();
    expect(choices[0]?.finish_reason).toBe("length");
  });

  it("uses the served model when the name is absent or null", async () => {
    const { post } = serve();
    expect((await post({ messages })).json()).toMatchObject({ model: ALIAS });
    expect((await post({ model: null, messages })).statusCode).toBe(200);
  });

  it("rejects an unknown model name", async () => {
    const { post } = serve();
    const response = await post({ model: "gpt-4o", messages });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({
      error: { code: "model_not_found", type: "invalid_request_error", param: "model" },
    });
  });

  it("accepts any model name with acceptAnyModel, and returns its own alias", async () => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["x"] })), {
      acceptAnyModel: true,
    });
    const payload = { model: "gpt-4o", messages };
    const response = await app.inject({ method: "POST", url: "/v1/chat/completions", payload });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ model: ALIAS });
  });

  it("accepts every role, text parts and null content", async () => {
    const { post, engine } = serve();
    const response = await post({
      messages: [
        { role: "system", content: "S" },
        { role: "developer", content: "D" },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "2" },
        { role: "user", content: "thanks", name: "Ann" },
      ],
    });
    expect(response.statusCode).toBe(200);
    expect(engine.requests[0]?.prompt.messages).toEqual([
      { role: "system", content: "S" },
      { role: "system", content: "D" },
      { role: "user", content: "a\nb" },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c1", name: "add", arguments: '{"a":1}' }],
      },
      { role: "tool", content: "2", toolCallId: "c1" },
      { role: "user", content: "thanks", name: "Ann" },
    ]);
  });

  it("passes every parameter to the engine", async () => {
    const { post, engine } = serve();
    await post({
      messages,
      max_tokens: 7,
      max_completion_tokens: 9,
      min_tokens: 2,
      temperature: 0.5,
      top_p: 0.9,
      top_k: -1,
      min_p: 0.1,
      seed: 42,
      stop: ["END"],
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      repetition_penalty: 1.1,
      repeat_last_n: 32,
      dry_multiplier: 0.8,
      dry_base: 1.5,
      dry_allowed_length: 3,
      dry_penalty_last_n: -1,
      dry_sequence_breakers: ["\n"],
      xtc_probability: 0.5,
      xtc_threshold: 0.2,
      logit_bias: { "5": -100, "6": 2 },
      stop_token_ids: [7],
      ignore_eos: true,
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(engine.requests[0]).toMatchObject({
      prompt: { templateVariables: { enable_thinking: false } },
      sampling: {
        temperature: 0.5,
        topP: 0.9,
        topK: -1,
        minP: 0.1,
        seed: 42,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        repeatPenalty: 1.1,
        repeatLastN: 32,
        dryMultiplier: 0.8,
        dryBase: 1.5,
        dryAllowedLength: 3,
        dryPenaltyLastN: -1,
        drySequenceBreakers: ["\n"],
        xtcProbability: 0.5,
        xtcThreshold: 0.2,
        logitBias: new Map([
          [5, Number.NEGATIVE_INFINITY],
          [6, 2],
        ]),
      },
      stopping: { maxTokens: 9, minTokens: 2, stop: ["END"], stopTokens: [7], ignoreEos: true },
    });
  });

  it("treats null as absent in every optional field", async () => {
    const { post, engine } = serve();
    const response = await post({
      messages,
      temperature: null,
      max_tokens: null,
      stop: null,
      seed: null,
      stream: null,
      stream_options: null,
      logit_bias: null,
      tools: null,
      response_format: null,
      n: null,
      logprobs: null,
    });
    expect(response.statusCode).toBe(200);
    expect(engine.requests[0]?.sampling.temperature).toBeUndefined();
  });

  it("treats a completion limit of -1 as no limit", async () => {
    const { post, engine } = serve();
    await post({ messages, max_tokens: -1 });
    expect(engine.requests[0]?.stopping.maxTokens).toBe(Number.POSITIVE_INFINITY);
  });

  it("ignores unknown fields and values without effect", async () => {
    const { post } = serve();
    const response = await post({
      messages,
      user: "u",
      store: true,
      metadata: { a: "b" },
      parallel_tool_calls: true,
      service_tier: "auto",
      n: 1,
      tools: [],
      tool_choice: "auto",
      response_format: { type: "text" },
      logprobs: false,
      something_new: { deep: [1] },
    });
    expect(response.statusCode).toBe(200);
  });

  it.each([
    ["audio", { voice: "x" }],
    ["modalities", ["text", "audio"]],
    ["n_probs", 1],
    ["post_sampling_probs", true],
    ["t_max_predict_ms", 100],
    ["skip_special_tokens", false],
    ["include_stop_str_in_output", true],
    ["bad_words", ["x"]],
    ["allowed_token_ids", [1]],
    ["use_beam_search", true],
    ["truncate_prompt_tokens", 10],
    ["prompt_logprobs", 0],
    ["echo", true],
    ["best_of", 2],
    ["add_generation_prompt", false],
  ])("rejects the unsupported parameter %s with an error that names it", async (param, value) => {
    const { post, engine } = serve();
    const response = await post({ messages, [param]: value });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      error: { code: "unsupported_parameter", param, details: [{ field: param }] },
    });
    expect(engine.requests).toEqual([]);
  });

  it.each([
    [{}, "messages: expected an array of messages, got nothing."],
    [{ messages: [] }, "messages: expected at least one message, got []."],
    [{ messages: "Hi" }, 'messages: expected an array of messages, got "Hi".'],
    [
      { messages: [{ role: "robot", content: "x" }] },
      'messages.0.role: expected one of system, developer, user, assistant, tool, function, got "robot".',
    ],
    [
      { messages: [{ role: "user" }] },
      "messages.0.content: expected a string or an array of content parts, got nothing.",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: {} }] }] },
      "messages.0.content.0.image_url.url: expected a non-empty string, got nothing.",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "video_url", video_url: {} }] }] },
      'messages.0.content.0.type: expected one of text, image_url, input_audio, file, got "video_url".',
    ],
    [
      { messages: [{ role: "system", content: [{ type: "image_url", image_url: {} }] }] },
      'messages.0.content.0.type: expected "text", the only content of such a message, got "image_url".',
    ],
    [{ messages, temperature: 3 }, "temperature: expected a number from 0 to 2, got 3."],
    [{ messages, temperature: "hot" }, 'temperature: expected a number from 0 to 2, got "hot".'],
    [{ messages, top_p: -1 }, "top_p: expected a number from 0 to 1, got -1."],
    [
      { messages, max_tokens: 0 },
      "max_tokens: expected a positive integer, or -1 for as many as fit, got 0.",
    ],
    [{ messages, seed: 1.5 }, /^seed: expected an integer .*, got 1.5\.$/],
    [
      { messages, stop: ["a", "b", "c", "d", "e"] },
      'stop: expected a non-empty string or up to 4 of them, got ["a","b","c","d","e"].',
    ],
    [{ messages, stop: "" }, /^stop: expected a non-empty string/],
    [
      { messages, logit_bias: { "1": 200 } },
      "logit_bias.1: expected a number from -100 to 100, got 200.",
    ],
    [{ messages, logit_bias: { x: 1 } }, 'logit_bias.x: expected token ids as keys, got "x".'],
    [{ messages, stream: "yes" }, 'stream: expected true or false, got "yes".'],
    [
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: "b" },
          { role: "assistant", content: "c" },
        ],
      },
      "messages: expected at most one assistant message at the end, got two.",
    ],
  ])("rejects %j with the reason", async (body, message) => {
    const { post, engine } = serve();
    const response = await post(body);
    expect(response.statusCode).toBe(400);
    const { error } = response.json<{ error: { message: string; code: string; param: string } }>();
    if (typeof message === "string") expect(error.message).toContain(message);
    else expect(error.message).toMatch(message);
    expect(error.code).toBe("invalid_request");
    expect(engine.requests).toEqual([]);
  });

  const many = <Item>(length: number, item: Item): Item[] => Array<Item>(length).fill(item);
  const part = { type: "text", text: "a" };
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  const tool = { type: "function", function: { name: "f" } };

  it.each([
    [
      "messages",
      { messages: many(5_001, { role: "user", content: "a" }) },
      "messages: expected at most 5000 messages",
    ],
    [
      "messages",
      { messages: [{ role: "user", content: many(1001, part) }] },
      "messages.0.content: expected at most 1000 content parts",
    ],
    [
      "messages",
      { messages: [...messages, { role: "assistant", tool_calls: many(1001, call) }] },
      "messages.1.tool_calls: expected at most 1000 tool calls",
    ],
    ["tools", { messages, tools: many(1001, tool) }, "tools: expected at most 1000 tools"],
    [
      "logit_bias",
      { messages, logit_bias: Object.fromEntries(many(10_001, 0).map((_, token) => [token, 1])) },
      "logit_bias: expected at most 10000 token ids",
    ],
    [
      "chat_template_kwargs",
      {
        messages,
        chat_template_kwargs: Object.fromEntries(many(1001, 0).map((_, i) => [`v${i}`, i])),
      },
      "chat_template_kwargs: expected at most 1000 template variables",
    ],
  ])("rejects too many items in %s", async (_, body, reason) => {
    const { post, engine } = serve();
    const response = await post(body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toContain(reason);
    expect(engine.requests).toEqual([]);
  });

  it("reports the first twenty of many invalid messages or parts", async () => {
    const { post } = serve();
    for (const body of [
      { messages: many(4999, 0) },
      { messages: many(18, { role: "user", content: many(1000, { type: "image_url" }) }) },
    ]) {
      const response = await post(body);
      expect(response.statusCode).toBe(400);
      expect(response.json().error.details).toHaveLength(20);
    }
  });

  it("rejects a body of more than 40,000 values before it is parsed", async () => {
    const { post, engine } = serve();
    const response = await post({ messages, metadata: many(100_000, 0) });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({
      code: "invalid_json",
      message: "body: expected at most 40000 values, got more.",
    });
    expect(engine.requests).toEqual([]);
  });

  it("rejects a number of several thousand digits before it is parsed", async () => {
    const { app, engine } = serve();
    const response = await app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      headers: { "content-type": "application/json" },
      payload: `{"messages":[],"seed":${"1".repeat(5000)}}`,
    });
    expect(engine.requests).toEqual([]);
    expect(response.json().error).toMatchObject({
      code: "invalid_json",
      message: "body: expected at most 4096 bytes per number or run of white space, got more.",
    });
  });

  it("reports all invalid fields at once", async () => {
    const { post } = serve();
    const { error } = (await post({ messages: [], temperature: 9 })).json();
    expect(error.details).toEqual([
      { field: "messages", reason: "expected at least one message, got []" },
      { field: "temperature", reason: "expected a number from 0 to 2, got 9" },
    ]);
  });

  it("returns the engine's error for a prompt that exceeds the context", async () => {
    const { post } = serve();
    const response = await post({ messages: [{ role: "user", content: "x".repeat(100) }] });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      error: {
        ...{ code: "context_length_exceeded", param: "messages" },
        ...{ type: "exceed_context_size_error", n_prompt_tokens: 100, n_ctx: 100 },
      },
    });
  });

  it("reveals no internals when the engine fails", async () => {
    const { post } = serve({
      parts: ["a"],
      ending: new GgufdError("internal_error", "The server failed to answer this request.", {
        cause: new Error("secret path /etc/ggufd"),
      }),
    });
    const response = await post({ messages });
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain("secret");
    expect(response.json()).toMatchObject({
      error: { code: "internal_error", type: "server_error" },
    });
  });

  it("sheds load with 503 and Retry-After when the queue is full", async () => {
    const engine = new ScriptedEngine(() => ({ parts: [], ending: "never" }), { slots: 1 });
    const { app, scheduler } = buildTestApp(engine, { maxQueue: 1 });
    const post = async () =>
      app.inject({ method: "POST", url: "/v1/chat/completions", payload: { messages } });
    const running = post();
    const waiting = post();
    await eventually(() => expect(engine.requests).toHaveLength(2));
    const rejected = await post();
    expect(rejected.statusCode).toBe(503);
    expect(rejected.headers["retry-after"]).toBe("1");
    expect(rejected.json()).toMatchObject({ error: { code: "server_overloaded" } });
    scheduler.endAll();
    for (const ended of [await running, await waiting]) {
      expect(ended.statusCode).toBe(503);
      expect(ended.json()).toMatchObject({ error: { code: "shutting_down" } });
    }
  });
});
