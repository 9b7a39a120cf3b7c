import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAiError } from "../../src/api/fields/error-envelope.js";
import { type NativeCompletion, nativeCompletion } from "../../src/api/llama-server/answer.js";
import { nativeProps } from "../../src/api/llama-server/props.js";
import { tokenizeResponse } from "../../src/api/openai/tokenize/tokenize.js";
import { openEngine } from "../support/generate.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { eventJson } from "../support/server-sent-events.js";
import { shippedModel } from "../support/shipped-model.js";

let server: RunningApp;
beforeAll(async () => {
  server = await runApp(await openEngine(shippedModel, { slots: 2 }));
});
afterAll(() => server.close());

async function post(path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function complete(body: object): Promise<NativeCompletion> {
  const response = await post("/completion", { ...sampling, ...body });
  return nativeCompletion.parse(await response.json());
}

function probabilitiesOf({ completion_probabilities: probabilities = [] }: NativeCompletion) {
  return probabilities.flatMap((one) => ("prob" in one ? [one] : []));
}

const text = "Hello! Who are you?";
/** Ignores EOS, because without a chat template the model ends its answer immediately. */
const sampling = { temperature: 0, n_predict: 12, ignore_eos: true };

describe("a llama.cpp client with the shipped model", () => {
  it("gets the same answer with and without streaming, and with token ids in the prompt", async () => {
    const whole = await complete({ prompt: text });
    expect(whole.content).not.toBe("");
    const streamed = await post("/completion", { ...sampling, prompt: text, stream: true });
    const pieces = eventJson<NativeCompletion>(await streamed.text());
    expect(pieces.map(({ content }) => content).join("")).toBe(whole.content);

    const tokenized = await post("/tokenize", { content: text });
    const { tokens } = tokenizeResponse.parse(await tokenized.json());
    const mixed = await complete({ prompt: ["", ...tokens] });
    expect(mixed.tokens_evaluated).toBe(whole.tokens_evaluated);
    expect(mixed.content).toBe(whole.content);
  });

  it("can evaluate a prompt in advance with n_predict 0", async () => {
    const prompt = "A prompt that nobody has sent before, about nothing in particular. ".repeat(4);
    const prepared = await complete({ prompt, n_predict: 0 });
    expect(prepared).toMatchObject({ content: "", stop_type: "limit", tokens_predicted: 0 });
    const next = await complete({ prompt });
    expect(next.tokens_cached).toBeGreaterThan(0);
    expect(next.tokens_evaluated).toBe(prepared.tokens_evaluated);
  });

  it("gets post-sampling probabilities", async () => {
    const drawing = { temperature: 1.5, seed: 5, n_probs: 20, post_sampling_probs: true };
    const drawn = await complete({ prompt: text, ...drawing, top_k: 4, top_p: 1, min_p: 0 });
    expect(drawn.completion_probabilities).toHaveLength(12);
    for (const { token, prob, top_probs } of probabilitiesOf(drawn)) {
      expect(top_probs).toHaveLength(4);
      expect(top_probs.reduce((sum, one) => sum + one.prob, 0)).toBeCloseTo(1, 4);
      expect(top_probs).toContainEqual(expect.objectContaining({ token, prob }));
    }
    const greedy = await complete({ prompt: text, ...drawing, temperature: 0 });
    for (const { id, prob, top_probs } of probabilitiesOf(greedy)) {
      expect([prob, top_probs]).toEqual([1, [expect.objectContaining({ id, prob: 1 })]]);
    }
  });

  it("gets an error with the index of a token outside the vocabulary", async () => {
    const response = await post("/completion", {
      prompt: [
        ["a", 1],
        ["a", 10_000_000],
      ],
    });
    expect(openAiError.parse(await response.json()).error.param).toBe("prompt.1.1");
  });

  it("reads the chat template, and the model path without its folder", async () => {
    const props = nativeProps.parse(await (await fetch(`${server.url}/props`)).json());
    expect(props.chat_template).toContain("messages");
    expect(props.model_path).toMatch(/^[^/]+\.gguf$/);
  });
});
