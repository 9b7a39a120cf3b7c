import { describe, expect, it } from "vitest";
import type { RawGenerationRequest } from "../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";

const filled: Script = { parts: ["2 *", " x\n"] };

async function ask(
  payload: object,
  script: (request: RawGenerationRequest) => Script = () => filled,
) {
  const engine = new ScriptedEngine(
    () => {
      throw new Error("expected a prompt without messages");
    },
    { rawScript: script },
  );
  const { app } = buildTestApp(engine);
  const response = await app.inject({ method: "POST", url: "/infill", payload });
  return { engine, response };
}

const gap = { input_prefix: "def twice(x):\n    return ", input_suffix: "\n" };

/** A request in the format of llama.vim. */
const fromAnEditor = {
  ...gap,
  input_extra: [{ filename: "a.py", text: "import b\n", time: [1, 2] }, { text: "x = 1" }],
  prompt: "2",
  n_predict: 128,
  stop: [],
  n_indent: 4,
  top_k: 40,
  top_p: 0.9,
  samplers: ["top_k", "top_p", "infill"],
  stream: false,
  cache_prompt: true,
  t_max_prompt_ms: 500,
  t_max_predict_ms: 1000,
  response_fields: ["content", "timings/prompt_n"],
};

describe("POST /infill", () => {
  it("fills the gap between prefix and suffix", async () => {
    const { engine, response } = await ask(gap);
    expect(response.json()).toMatchObject({
      content: "2 * x\n",
      stop: true,
      model: "scripted",
      stop_type: "eos",
      stopping_word: "",
      has_new_line: true,
      truncated: false,
      tokens_predicted: 2,
      timings: { predicted_n: 2 },
    });
    expect(engine.rawRequests).toMatchObject([
      {
        prompt: {
          type: "infill",
          prefix: gap.input_prefix,
          suffix: "\n",
          suffixField: "input_suffix",
          files: [],
        },
        stopping: { maxTokens: undefined },
      },
    ]);
  });

  it("accepts extra files and the start of the gap, as sent by an editor", async () => {
    const { engine, response } = await ask(fromAnEditor);
    const evaluated = `${gap.input_prefix}2${gap.input_suffix}`.length - 1;
    expect(response.json()).toEqual({ content: "2 * x\n", "timings/prompt_n": evaluated });
    expect(engine.rawRequests).toMatchObject([
      {
        prompt: {
          prefix: `${gap.input_prefix}2`,
          files: [
            { name: "a.py", text: "import b\n" },
            { name: "unnamed", text: "x = 1" },
          ],
        },
        sampling: { topK: 40, topP: 0.9, samplers: ["top_k", "top_p"] },
        stopping: { maxTokens: 128 },
      },
    ]);
  });

  it("streams the completion in chunks", async () => {
    const { response } = await ask({ ...gap, stream: true });
    expect(eventJson(response.body)).toMatchObject([
      { content: "2 *", stop: false },
      { content: " x\n", stop: false },
      { content: "", stop: true, has_new_line: true, tokens_predicted: 2 },
    ]);
  });

  it("only evaluates the prompt if n_predict is 0, as an editor requests to warm the cache", async () => {
    const request = {
      ...gap,
      n_predict: 0,
      samplers: [],
      t_max_prompt_ms: 1,
      t_max_predict_ms: 1,
      response_fields: ["content", "tokens_predicted"],
    };
    const { engine, response } = await ask(request, () => ({ parts: [], ending: "length" }));
    expect(response.json()).toEqual({ content: "", tokens_predicted: 0 });
    expect(engine.rawRequests).toMatchObject([{ stopping: { maxTokens: 0 } }]);
  });

  it.each([
    ["input_prefix", { input_prefix: "x".repeat(200), input_suffix: "y" }],
    ["input_suffix", { input_prefix: "x".repeat(90), input_suffix: "y".repeat(91) }],
    ["input_extra", { ...gap, input_extra: [{ text: "y".repeat(200) }], prompt: "x".repeat(150) }],
  ])(
    "reports the longest field of a request that exceeds the context: %s",
    async (param, payload) => {
      const { response } = await ask(payload);
      expect(response.json().error).toMatchObject({ code: "context_length_exceeded", param });
    },
  );

  it("reports that the token limit ended the completion", async () => {
    const { response } = await ask(gap, () => ({ parts: ["2"], ending: "length" }));
    expect(response.json()).toMatchObject({ stop_type: "limit", has_new_line: false });
  });

  it.each([
    [{ input_suffix: "" }, "input_prefix", "expected a string, got nothing"],
    [{ input_prefix: "" }, "input_suffix", "expected a string, got nothing"],
    [{ ...gap, input_prefix: 7 }, "input_prefix", "expected a string, got 7"],
    [{ ...gap, prompt: ["a"] }, "prompt", 'expected a string, got ["a"]'],
    [{ ...gap, input_extra: "a" }, "input_extra", 'expected an array of files, got "a"'],
    [{ ...gap, input_extra: [{}] }, "input_extra.0.text", "expected a string, got nothing"],
    [{ ...gap, samplers: ["infill", "best"] }, "samplers.1", "expected one of penalties, dry, "],
    [{ ...gap, n_predict: -2 }, "n_predict", "expected an integer of at least -1"],
    [{ ...gap, stop: [7] }, "stop.0", "expected a string, got 7"],
  ])("rejects an invalid request: %j", async (payload, param, reason) => {
    const { response } = await ask(payload);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.param).toBe(param);
    expect(response.json().error.message).toContain(reason);
  });
});
