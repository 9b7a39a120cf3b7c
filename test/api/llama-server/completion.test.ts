import { describe, expect, it } from "vitest";
import type { RawGenerationRequest } from "../../../src/core/generation-request.js";
import {
  samplingDefaults,
  samplingRows,
  selectSamplingBy,
} from "../../../src/core/sampling-table.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { eventData, eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";

const continued: Script = { parts: ["One", " two\n"] };

async function ask(
  payload: object,
  script: (request: RawGenerationRequest, choice: number) => Script = () => continued,
  url = "/completion",
) {
  const engine = new ScriptedEngine(
    () => {
      throw new Error("expected a prompt without messages");
    },
    { rawScript: script },
  );
  const { app } = buildTestApp(engine);
  const response = await app.inject({ method: "POST", url, payload });
  return { engine, response };
}

const prompt = "Count.";

describe("a llama-server completion", () => {
  it.each(["/completion", "/completions"])("is returned by POST %s", async (url) => {
    const { engine, response } = await ask({ prompt, n_predict: 5 }, undefined, url);
    expect(response.json()).toEqual({
      index: 0,
      content: "One two\n",
      tokens: [],
      stop: true,
      stop_type: "eos",
      stopping_word: "",
      has_new_line: true,
      truncated: false,
      tokens_predicted: 2,
      tokens_evaluated: 6,
      tokens_cached: 1,
      timings: expect.objectContaining({ prompt_n: 5, predicted_n: 2 }),
      model: "scripted",
      prompt: `<s>${prompt}`,
      generation_settings: {
        seed: 4294967295,
        n_ctx: 100,
        n_predict: 5,
        max_tokens: 5,
        n_probs: 0,
        stop: [],
        stream: false,
        ignore_eos: false,
        temperature: 0.8,
        top_k: 40,
        top_p: 0.95,
        min_p: 0.05,
        typical_p: 1,
        top_n_sigma: -1,
        repeat_penalty: 1,
        repeat_last_n: 64,
        presence_penalty: 0,
        frequency_penalty: 0,
        dry_multiplier: 0,
        dry_base: 1.75,
        dry_allowed_length: 2,
        dry_penalty_last_n: 64,
        dry_sequence_breakers: ["\n", ":", '"', "*"],
        xtc_probability: 0,
        xtc_threshold: 0.1,
        dynatemp_range: 0,
        dynatemp_exponent: 1,
        mirostat: 0,
        mirostat_tau: 5,
        mirostat_eta: 0.1,
        adaptive_target: -1,
        adaptive_decay: 0.9,
        min_keep: 0,
        samplers: [
          ...["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc"],
          "temperature",
        ],
        logit_bias: [],
      },
    });
    expect(engine.rawRequests).toMatchObject([
      { prompt: { type: "text", text: prompt }, stopping: { maxTokens: 5 } },
    ]);
  });

  it("is streamed in chunks, followed by a final event", async () => {
    const { response } = await ask({ prompt, stream: true });
    expect(eventData(response.body)).not.toContain("[DONE]");
    expect(eventJson(response.body)).toMatchObject([
      { content: "One", stop: false, tokens: [79], tokens_predicted: 1 },
      { content: " two\n", stop: false, tokens: [32], tokens_predicted: 2 },
      { content: "", stop: true, stop_type: "eos", has_new_line: true, prompt: `<s>${prompt}` },
    ]);
  });

  it.each<[string, Partial<Script>, object]>([
    ["the token limit", { ending: "length" }, { stop_type: "limit", stopping_word: "" }],
    ["a stop string", { stopString: "!" }, { stop_type: "word", stopping_word: "!" }],
  ])("reports %s as its stop type", async (_, end, expected) => {
    const { response } = await ask({ prompt }, () => ({ ...continued, ...end }));
    expect(response.json()).toMatchObject(expected);
  });

  it.each([
    [93, false],
    [94, true],
  ])("of a prompt of %i tokens reports whether the context is full", async (length, truncated) => {
    const script: Script = { parts: [..."abcdef"], ending: "length" };
    const { response } = await ask({ prompt: "x".repeat(length) }, () => script);
    expect(response.json()).toMatchObject({ tokens_predicted: 6, truncated });
  });

  it.each([
    ["token ids", [97, 98], [{ type: "tokens", tokens: [97, 98] }]],
    ["mixed texts and token ids", ["a", 98, "c"], [{ type: "mixed", parts: ["a", 98, "c"] }]],
    ["an object with the text", { prompt_string: "a" }, [{ type: "text", text: "a" }]],
    [
      "an object with an empty list of images",
      { prompt_string: "a", multimodal_data: [] },
      [{ text: "a" }],
    ],
    ["a list of texts", ["a", "b"], [{ text: "a" }, { text: "b", field: "prompt.1" }]],
    ["a list of one text", ["a"], [{ type: "text", text: "a" }]],
    [
      "a list of all kinds",
      ["a", [98], ["c", 100], { prompt_string: "d" }],
      [
        { text: "a" },
        { tokens: [98] },
        { parts: ["c", 100], field: "prompt.2" },
        { text: "d", field: "prompt.3" },
      ],
    ],
  ])("accepts %s as the prompt", async (_, sent, prompts) => {
    const { engine, response } = await ask({ prompt: sent });
    expect(response.statusCode, response.body).toBe(200);
    expect(engine.rawRequests.map((request) => request.prompt)).toMatchObject(prompts);
    expect(Array.isArray(response.json())).toBe(prompts.length > 1);
  });

  it("returns several completions, numbered consecutively across prompts", async () => {
    const { response } = await ask({ prompt: ["a", "b"], n_cmpl: 2 }, (request, choice) => ({
      parts: [request.prompt.type === "text" ? request.prompt.text : "", String(choice)],
    }));
    const answers: { index: number; content: string; prompt: string }[] = response.json();
    expect(answers.map(({ index, content }) => [index, content])).toEqual([
      [0, "a0"],
      [1, "a1"],
      [2, "b0"],
      [3, "b1"],
    ]);
    expect(answers.map((answer) => answer.prompt)).toEqual(["<s>a", "<s>a", "<s>b", "<s>b"]);
  });

  it("returns its token ids on request", async () => {
    const { response } = await ask({ prompt, return_tokens: true });
    expect(response.json().tokens).toEqual([79, 32]);
  });

  it("reports prompt progress and timings per chunk on request", async () => {
    const timings = {
      prefillMs: 4,
      decodeMs: 2,
      draftTokens: 0,
      acceptedDraftTokens: 0,
      forcedTokens: 0,
    };
    const script: Script = {
      parts: [
        { processedTokens: 3, elapsedMs: 1.5, timings },
        { text: "One", timings },
      ],
    };
    const asked = { return_progress: true, timings_per_token: true };
    const { engine, response } = await ask({ prompt, stream: true, ...asked }, () => script);
    expect(engine.rawRequests[0]?.progress).toEqual({
      prompt: "with-each-slice",
      timings: "with-each-text",
    });
    const [progress, piece] = eventJson(response.body);
    expect(progress).toMatchObject({
      content: "",
      stop: false,
      prompt_progress: { total: 6, cache: 1, processed: 3, time_ms: 1.5 },
      timings: { cache_n: 1, prompt_n: 2, prompt_ms: 4, prompt_per_token_ms: 2 },
    });
    expect(piece).toMatchObject({
      content: "One",
      timings: { prompt_n: 5, prompt_ms: 4, predicted_n: 2, predicted_per_token_ms: 2 },
    });
    for (const unasked of [asked, { stream: true }]) {
      const { engine } = await ask({ prompt, ...unasked });
      expect(engine.rawRequests[0]).not.toHaveProperty("progress");
    }
  });

  it("echoes its settings, including banned tokens", async () => {
    const parameters = {
      seed: 3,
      temperature: 0.5,
      ignore_eos: true,
      logit_bias: [
        ["ab", false],
        [5, 1.5],
      ],
    };
    const { response } = await ask({ prompt, ...parameters });
    expect(response.json().generation_settings).toMatchObject({
      seed: 3,
      temperature: 0.5,
      ignore_eos: true,
      logit_bias: [
        { token: 5, bias: 1.5 },
        { token: 97, bias: null },
        { token: 98, bias: null },
        { token: 2, bias: null },
      ],
    });
  });

  it("echoes its sampler settings under llama.cpp's names", async () => {
    const parameters = {
      typical_p: 2,
      top_n_sigma: 1.5,
      dynatemp_range: 0.5,
      dynatemp_exponent: 2,
      mirostat: 2,
      mirostat_tau: 3,
      mirostat_eta: 0.2,
      adaptive_target: -0.01,
      adaptive_decay: 0.5,
      min_keep: 3,
    };
    const samplers = ["Temp", "infill", "top-k", "adaptive_p"];
    const { response } = await ask({ prompt, ...parameters, samplers });
    expect(response.json().generation_settings).toMatchObject({
      ...parameters,
      samplers: ["temperature", "top_k", "adaptive_p"],
    });
  });

  it("echoes every sampler setting in the order of the table", async () => {
    const { response } = await ask({ prompt, repetition_penalty: 1.2, dry_base: 3 });
    const { generation_settings: shown } = response.json<{ generation_settings: object }>();
    const names = samplingRows.map(({ json }) => json);
    expect(Object.keys(shown).filter((name) => names.includes(name))).toEqual(names);
    expect(shown).toMatchObject({
      ...selectSamplingBy("json", samplingDefaults),
      repeat_penalty: 1.2,
      dry_base: 3,
    });
  });

  it("only evaluates the prompt if n_predict is 0", async () => {
    const nothing: Script = { parts: [], ending: "length" };
    for (const stream of [false, true]) {
      const { engine, response } = await ask({ prompt, n_predict: 0, stream }, () => nothing);
      const end = stream ? eventJson(response.body)[0] : response.json();
      expect(end).toMatchObject({ content: "", stop_type: "limit", tokens_predicted: 0 });
      expect(engine.rawRequests).toMatchObject([{ stopping: { maxTokens: 0 } }]);
    }
  });

  it("returns only the requested response fields", async () => {
    const response_fields = ["content", "timings/prompt_n", "generation_settings/n_ctx", "gone/x"];
    const { response } = await ask({ prompt, response_fields });
    expect(response.json()).toEqual({
      content: "One two\n",
      "timings/prompt_n": 5,
      "generation_settings/n_ctx": 100,
    });
  });

  it("returns log-probabilities on request", async () => {
    const token = { id: 1, bytes: [...Buffer.from("One")], logProbability: -0.5 };
    const script = () => ({ parts: [{ text: "One", scores: [{ ...token, top: [token] }] }] });
    const scored = { id: 1, token: "One", bytes: [79, 110, 101], logprob: -0.5 };
    const probabilities = [{ ...scored, top_logprobs: [scored] }];
    const { engine, response } = await ask({ prompt, n_probs: 1 }, script);
    expect(engine.rawRequests).toMatchObject([{ topLogProbabilities: 1 }]);
    expect(response.json().completion_probabilities).toEqual(probabilities);
    const streamed = await ask({ prompt, n_probs: 1, stream: true }, script);
    expect(eventJson(streamed.response.body)[0]).toMatchObject({
      completion_probabilities: probabilities,
    });
    const drawn = { id: 1, token: "One", bytes: [79, 110, 101], prob: Math.exp(-0.5) };
    const sampled = await ask({ prompt, n_probs: 1, post_sampling_probs: true }, script);
    expect(sampled.engine.rawRequests).toMatchObject([{ logProbabilities: "after-sampling" }]);
    expect(sampled.response.json().completion_probabilities).toEqual([
      { ...drawn, top_probs: [drawn] },
    ]);
    const unasked = await ask({ prompt, n_probs: 0 });
    expect(unasked.engine.rawRequests[0]?.topLogProbabilities).toBeUndefined();
  });
});

describe("llama-server completion parameters", () => {
  it.each<[object, object]>([
    [{ n_predict: -1, max_tokens: 3 }, { stopping: { maxTokens: Number.POSITIVE_INFINITY } }],
    [{ max_tokens: 3 }, { stopping: { maxTokens: 3 } }],
    [{ seed: -1 }, { sampling: { seed: undefined } }],
    [{ seed: 4294967295 }, { sampling: { seed: undefined } }],
    [{ seed: 7 }, { sampling: { seed: 7 } }],
    [{ stop: ["", "a", "b", "c", "d", "e"] }, { stopping: { stop: ["a", "b", "c", "d", "e"] } }],
    [{ stop: "a" }, { stopping: { stop: ["a"] } }],
    [
      { samplers: ["temperature", "infill", "tfs_z", "top_k"], top_k: 3 },
      { sampling: { topK: 3, samplers: ["temperature", "top_k"] } },
    ],
    [
      { samplers: ["top_k", "adaptive_p"], adaptive_target: 0.5 },
      { sampling: { samplers: ["top_k", "adaptive_p"], adaptiveTarget: 0.5 } },
    ],
    [
      { samplers: ["top_k", "adaptive_p"], adaptive_target: -0.01, adaptive_decay: 0.9 },
      {
        sampling: { samplers: ["top_k", "adaptive_p"], adaptiveTarget: -0.01, adaptiveDecay: 0.9 },
      },
    ],
    [
      {
        logit_bias: [
          [5, 1.5],
          [6, false],
        ],
      },
      {
        sampling: {
          logitBias: new Map([
            [5, 1.5],
            [6, Number.NEGATIVE_INFINITY],
          ]),
        },
      },
    ],
    [{ logit_bias: { 5: 1 } }, { sampling: { logitBias: new Map([[5, 1]]) } }],
    [
      {
        logit_bias: [
          ["ab", 2],
          [98, -3],
        ],
      },
      {
        sampling: {
          logitBias: new Map([
            [97, 2],
            [98, -1],
          ]),
        },
      },
    ],
    [
      { logit_bias: { b: false, 5: 1 } },
      {
        sampling: {
          logitBias: new Map([
            [5, 1],
            [98, Number.NEGATIVE_INFINITY],
          ]),
        },
      },
    ],
    [
      {
        logit_bias: [
          [5, -100],
          [6, 50],
          [6, 60],
          [5, 90],
        ],
      },
      {
        sampling: {
          logitBias: new Map([
            [5, Number.NEGATIVE_INFINITY],
            [6, 110],
          ]),
        },
      },
    ],
    [{ logit_bias: [] }, { sampling: { logitBias: new Map() } }],
    [{ grammar: 'root ::= "a"' }, { constraint: { field: "grammar" } }],
    [{ json_schema: {}, grammar: "" }, { constraint: { field: "json_schema" } }],
    [{ cache_prompt: true, id_slot: -1, n_keep: 3, lora: [], stop: null }, {}],
  ])("are interpreted as in llama-server: %j", async (parameters, expected) => {
    const { engine, response } = await ask({ prompt, ...parameters });
    expect(response.statusCode, response.body).toBe(200);
    expect(engine.rawRequests).toMatchObject([expected]);
  });

  it.each<[object, string, string]>([
    [
      {},
      "prompt",
      "expected a text, an object with prompt_string, a list of texts and token ids, or a list of these",
    ],
    [
      { prompt: { prompt_string: "a", multimodal_data: ["…"] } },
      "prompt.multimodal_data",
      "expected as many files as markers <__media__> in prompt_string (0), got 1",
    ],
    [{ prompt: [] }, "prompt", "expected a text"],
    [{ prompt: ["a", -1] }, "prompt.1", "expected"],
    [{ prompt: Array(1001).fill("a") }, "prompt", "expected at most 1000 prompts, got 1001"],
    [{ prompt, n_predict: -2 }, "n_predict", "expected an integer of at least -1"],
    [{ prompt, n_predict: "3" }, "n_predict", "expected an integer of at least -1"],
    [{ prompt, n_probs: 21 }, "n_probs", "expected an integer from 0 to 20"],
    [{ prompt, n_cmpl: 17 }, "n_cmpl", "expected an integer from 1 to 16"],
    [{ prompt, samplers: ["infill", "top_k", "top-k"] }, "samplers.2", 'got "top-k" again'],
    [{ prompt, mirostat: 3 }, "mirostat", "expected 0, 1 or 2, got 3"],
    [{ prompt, stop: [7] }, "stop.0", "expected a string, got 7"],
    [{ prompt, seed: "x" }, "seed", "expected an integer"],
    [{ prompt, stream: 1 }, "stream", "expected true or false, got 1"],
    [{ prompt, logit_bias: [["", 1]] }, "logit_bias.0.0", "expected a non-empty string"],
    [{ prompt, logit_bias: [[1, true]] }, "logit_bias.0.1", "expected a number"],
    [{ prompt, logit_bias: { a: 101 } }, "logit_bias.a", "expected a number from -100 to 100"],
    [{ prompt, logit_bias: 1 }, "logit_bias", "expected pairs of token ids or texts and biases"],
    [{ prompt: { text: "a" } }, "prompt.prompt_string", "expected a string"],
    [{ prompt, return_progress: 1 }, "return_progress", "expected true or false"],
    [{ prompt, timings_per_token: "1" }, "timings_per_token", "expected true or false"],
    [{ prompt, return_tokens: 1 }, "return_tokens", "expected true or false"],
    [{ prompt, response_fields: "content" }, "response_fields", "expected an array of strings"],
    [{ prompt, model: "" }, "model", "expected a non-empty string"],
    [{ prompt, grammar: "root ::=", json_schema: {} }, "grammar", "expected one constraint"],
    [{ prompt, lora: [{ id: 0, scale: 1 }] }, "lora.0.id", "because the model has none, got 0"],
  ])("are rejected if invalid: %.80j", async (payload, param, reason) => {
    const { response } = await ask(payload);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json().error.param).toBe(param);
    expect(response.json().error.message).toContain(reason);
  });

  it.each([
    ["use_beam_search", true],
    ["t_max_predict_ms", 10],
  ])("are rejected by name if unsupported: %s", async (name, value) => {
    const { response } = await ask({ prompt, [name]: value });
    expect(response.json().error).toMatchObject({ code: "unsupported_parameter", param: name });
  });

  it("are rejected with the path of the prompt that exceeds the context", async () => {
    const { response } = await ask({ prompt: ["a", "x".repeat(200)] });
    expect(response.json().error).toMatchObject({
      code: "context_length_exceeded",
      param: "prompt.1",
    });
  });

  it("are rejected with llama-server's error type and token counts if the prompt exceeds the context", async () => {
    const { response } = await ask({ prompt: "x".repeat(200) });
    expect(response.json().error).toMatchObject({
      type: "exceed_context_size_error",
      n_prompt_tokens: 200,
      n_ctx: 100,
    });
  });
});
