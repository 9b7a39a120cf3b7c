import { describe, expect, it } from "vitest";
import type { TextCompletion } from "../../../../src/api/openai/completions/answer.js";
import type { RawGenerationRequest } from "../../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../../support/scripted-engine.js";
import { buildTestApp } from "../../../support/test-app.js";

const noChat = () => {
  throw new Error("expected a prompt without messages");
};

const promptOf = ({ prompt }: RawGenerationRequest) =>
  prompt.type === "text" ? prompt.text : prompt.type;

/** Continues each prompt with itself and the number of its completion. */
const echoing = (request: RawGenerationRequest, choice: number): Script => ({
  parts: [` ${promptOf(request)}`, ` ${choice}`],
});

function open(rawScript: (request: RawGenerationRequest, choice: number) => Script = echoing) {
  const engine = new ScriptedEngine(noChat, { rawScript, slots: 4 });
  const { app } = buildTestApp(engine);
  const post = async (payload: object) => {
    const response = await app.inject({ method: "POST", url: "/v1/completions", payload });
    return { status: response.statusCode, body: response.json() };
  };
  return { engine, post };
}

const textsOf = ({ choices }: TextCompletion) => choices.map(({ text }) => text);

describe("POST /v1/completions", () => {
  it("continues a prompt", async () => {
    const { engine, post } = open();
    const { status, body } = await post({ prompt: "Once", temperature: 0.5, seed: 3 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^cmpl-/),
      object: "text_completion",
      model: "scripted",
      choices: [{ index: 0, text: " Once 0", logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
    });
    expect(engine.rawRequests).toMatchObject([
      {
        prompt: { type: "text", text: "Once" },
        sampling: { temperature: 0.5, seed: 3 },
        stopping: { maxTokens: undefined, usualMaxTokens: 16 },
      },
    ]);
  });

  it.each([
    ["a text", "ab", [{ type: "text", text: "ab" }]],
    [
      "texts",
      ["a", "b"],
      [
        { type: "text", text: "a", field: "prompt.0" },
        { type: "text", text: "b", field: "prompt.1" },
      ],
    ],
    ["token ids", [97, 98], [{ type: "tokens", tokens: [97, 98] }]],
    [
      "lists of token ids",
      [[97], [98, 99]],
      [
        { type: "tokens", tokens: [97], field: "prompt.0" },
        { type: "tokens", tokens: [98, 99], field: "prompt.1" },
      ],
    ],
  ])("accepts %s as the prompt", async (_, prompt, prompts) => {
    const { engine, post } = open();
    const { body } = await post({ prompt });
    expect(engine.rawRequests.map((request) => request.prompt)).toEqual(prompts);
    expect(body.choices).toHaveLength(prompts.length);
  });

  it("fills the gap between prompt and suffix", async () => {
    const { engine, post } = open();
    await post({ prompt: ["a", "c"], suffix: "b" });
    expect(engine.rawRequests.map(({ prompt }) => prompt)).toEqual([
      { type: "infill", prefix: "a", suffix: "b", field: "prompt.0", suffixField: "suffix" },
      { type: "infill", prefix: "c", suffix: "b", field: "prompt.1", suffixField: "suffix" },
    ]);
  });

  it("numbers completions consecutively across prompts, and counts each prompt once", async () => {
    const { post } = open();
    const { body } = await post({ prompt: ["a", "bb"], n: 2 });
    expect(textsOf(body)).toEqual([" a 0", " a 1", " bb 0", " bb 1"]);
    expect(body.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3]);
    expect(body.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 8, total_tokens: 11 });
  });

  it("counts the prefill of each prompt once in the timings", async () => {
    const { post } = open();
    const { body } = await post({ prompt: ["aa", "bbb"], n: 2 });
    expect(body.timings).toMatchObject({
      cache_n: 2,
      prompt_n: 3,
      prompt_ms: 4,
      prompt_per_second: 750,
      predicted_n: 8,
      predicted_ms: 12,
    });
  });

  it("starts each completion with the prompt if echo is true", async () => {
    const { post } = open();
    const { body } = await post({ prompt: ["a", "b"], echo: true });
    expect(textsOf(body)).toEqual(["a a 0", "b b 0"]);
  });

  it("returns the n best of best_of completions by mean log-probability per token", async () => {
    const logProbabilities = [-3, -1, -2];
    const { engine, post } = open((_, choice) => ({
      parts: [
        {
          text: `${choice}`,
          scores: [{ id: 1, bytes: [48], logProbability: logProbabilities[choice] ?? 0, top: [] }],
        },
      ],
    }));
    const { body } = await post({ prompt: "a", n: 2, best_of: 3 });
    expect(textsOf(body)).toEqual(["1", "2"]);
    expect(body.choices).toMatchObject([{ logprobs: null }, { logprobs: null }]);
    expect(body.usage.completion_tokens).toBe(3);
    expect(engine.rawRequests).toMatchObject([{ choices: 3, topLogProbabilities: 0 }]);
  });

  it("returns log-probabilities in the legacy format", async () => {
    const { post } = open(() => ({
      parts: [
        {
          text: "é!",
          scores: [
            {
              id: 1,
              bytes: [0xc3],
              logProbability: -1,
              top: [{ id: 1, bytes: [0x21], logProbability: -0.5 }],
            },
            { id: 1, bytes: [0xa9], logProbability: -2, top: [] },
            { id: 1, bytes: [0x21], logProbability: Number.NEGATIVE_INFINITY, top: [] },
          ],
        },
      ],
    }));
    const { body } = await post({ prompt: "a", logprobs: 1 });
    expect(body.choices[0].logprobs).toEqual({
      tokens: ["bytes:\\xc3", "bytes:\\xa9", "!"],
      token_logprobs: [-1, -2, -9999],
      top_logprobs: [{ "!": -0.5, "bytes:\\xc3": -1 }, { "bytes:\\xa9": -2 }, { "!": -9999 }],
      text_offset: [0, 0, 1],
    });
    const { body: without } = await post({ prompt: "a", logprobs: 0 });
    expect(without.choices[0].logprobs).toMatchObject({ text_offset: [0, 0, 1] });
  });

  it("passes a constraint to the engine", async () => {
    const { engine, post } = open();
    await post({ prompt: "a", guided_regex: "[a-z]+" });
    expect(engine.rawRequests).toMatchObject([
      { constraint: { field: "guided_regex", constraint: { type: "regex", pattern: "[a-z]+" } } },
    ]);
  });

  it("treats null as absent in every optional field", async () => {
    const { post } = open();
    const fields = ["suffix", "echo", "n", "best_of", "logprobs", "max_tokens", "stream", "stop"];
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    expect((await post({ prompt: "a", ...nulls })).status).toBe(200);
  });
});

describe("POST /v1/completions rejects a request", () => {
  it.each([
    [{}, "prompt", "expected a string, token ids, or an array of either, got nothing"],
    [{ prompt: 7 }, "prompt", "expected a string, token ids, or an array of either, got 7"],
    [{ prompt: [] }, "prompt", "expected a string, token ids, or an array of either"],
    [{ prompt: ["a", 1] }, "prompt.1", "expected a string, like the other prompts, got 1"],
    [{ prompt: [[]] }, "prompt.0", "expected at least one token id, got []"],
    [{ prompt: [-1] }, "prompt.0", "expected an integer from 0 to 9007199254740991, got -1"],
    [{ prompt: "a", n: 17 }, "n", "expected an integer from 1 to 16, got 17"],
    [{ prompt: "a", best_of: 0 }, "best_of", "expected an integer from 1 to 16, got 0"],
    [{ prompt: "a", n: 3, best_of: 2 }, "best_of", "expected at least n, which is 3, got 2"],
    [{ prompt: "a", stream: true, best_of: 2 }, "best_of", "cannot be selected in a stream"],
    [{ prompt: "a", logprobs: true }, "logprobs", "expected an integer from 0 to 20, got true"],
    [{ prompt: "a", logprobs: 21 }, "logprobs", "expected an integer from 0 to 20, got 21"],
    [{ prompt: "a", suffix: "b", echo: true, logprobs: 1 }, "logprobs", "the infill prompt"],
    [{ prompt: "a", echo: true, logprobs: 21 }, "logprobs", "expected an integer from 0 to 20"],
    [{ prompt: [1, 2], suffix: "b" }, "suffix", "a prompt with a suffix must be a text"],
    [{ prompt: "a", suffix: 1 }, "suffix", "expected a string, got 1"],
    [{ prompt: "a", max_tokens: -2 }, "max_tokens", "expected an integer of at least -1, got -2"],
    [
      { prompt: "a", temperature: "hot" },
      "temperature",
      'expected a number from 0 to 2, got "hot"',
    ],
    [
      { prompt: "a", use_beam_search: true },
      "use_beam_search",
      "expected false, got true, which is not supported yet",
    ],
    [{ prompt: "a", stream_options: 3 }, "stream_options", "expected an object, got 3"],
  ])("%j", async (payload, param, reason) => {
    const { post } = open();
    const { status, body } = await post(payload);
    expect(status).toBe(400);
    expect(body.error.param).toBe(param);
    expect(body.error.message).toContain(reason);
  });

  it("with more than 1000 prompts", async () => {
    const { post } = open();
    for (const prompt of [Array(1001).fill("a"), Array(1001).fill([1])]) {
      const { status, body } = await post({ prompt });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ param: "prompt" });
      expect(body.error.message).toContain("1000 prompts");
    }
  });

  it("with a prompt that exceeds the context, naming its field", async () => {
    const { post } = open();
    const { status, body } = await post({ prompt: ["a", "x".repeat(200)] });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "context_length_exceeded", param: "prompt.1" });
  });

  it("if the queue cannot hold all of its completions", async () => {
    const engine = new ScriptedEngine(noChat, { rawScript: echoing, slots: 1 });
    const { app } = buildTestApp(engine, { maxQueue: 2 });
    const ask = (prompt: readonly string[]) =>
      app.inject({ method: "POST", url: "/v1/completions", payload: { prompt } });
    expect((await ask(["a", "b", "c"])).statusCode).toBe(200);
    const refused = await ask(["a", "b", "c", "d"]);
    expect(refused.statusCode).toBe(503);
    expect(refused.headers["retry-after"]).toBe("1");
    expect(engine.started).toHaveLength(3);
  });
});
