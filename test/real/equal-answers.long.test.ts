import { describe, expect, it, onTestFinished } from "vitest";
import { type NativeCompletion, nativeCompletion } from "../../src/api/llama-server/answer.js";
import { chatCompletion } from "../../src/api/openai/answer.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

async function serve(modelPath: string, settings: Partial<EngineSettings>) {
  const server = await runApp(await openEngine(modelPath, settings));
  onTestFinished(() => server.close());
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return JSON.parse(text);
  };
  return {
    complete: async (body: object) => nativeCompletion.parse(await post("/completion", body)),
    chat: async (body: object) => chatCompletion.parse(await post("/v1/chat/completions", body)),
  };
}

/** Longer than a batch of the engines below; models tend to repeat its end. */
const prompt = "The sea is blue. The captain is called Nora. ".repeat(12);

/** Answer with exact probabilities, which reveal rounding differences long before the text does. */
const bitsOf = ({ content, completion_probabilities }: NativeCompletion) => ({
  content,
  completion_probabilities,
});

const models: readonly [name: string, path: () => string, Partial<EngineSettings>?][] = [
  ["random weights in f32", () => tinyModel("f32")],
  ["random weights in q8_0", () => tinyModel("q8_0")],
  ["a mixture of experts", () => tinyModel("q8_0", "moe-tiny")],
  ["the shipped model", () => shippedModel],
  ["a cache in q8_0", () => shippedModel, { kvCacheTypes: { keys: "q8_0", values: "q8_0" } }],
];

/** Models that do not support the unified layout. */
const splitModels: typeof models = [
  ["a sliding window", () => tinyModel("q8_0", "cohere2-tiny")],
  ["a recurrent state", () => tinyModel("f32", "mamba-tiny")],
  ["a hybrid state", () => tinyModel("f32", "jamba-tiny")],
];

const layouts: readonly [Partial<EngineSettings>, typeof models][] = [
  [{ slots: 1 }, [...models, ...splitModels]],
  [{ slots: 3 }, [...models, ...splitModels]],
  [{ slots: 3, kvCacheLayout: "unified", contextSize: 1024 }, models],
];

describe.each(layouts)("with %j", (layout, served) => {
  it.each(served)(
    "completions with cache_prompt: false are bitwise reproducible: %s",
    async (...model) => {
      const [, path, settings] = model;
      const { complete } = await serve(path(), { cacheRamMiB: 16, ...layout, ...settings });
      const answers: NativeCompletion[] = [];
      for (const question of [
        { prompt, temperature: 0, seed: 1 },
        { prompt, temperature: 1, seed: 7 },
        { prompt, temperature: 0, seed: 1, json_schema: { enum: ["a long text", "another one"] } },
      ]) {
        const request = { n_predict: 40, n_probs: 2, ignore_eos: true, ...question };
        const first = await complete({ ...request, cache_prompt: false });
        // Changes the content and position of cached cells, and lets the engine measure drafts.
        await complete({ ...request, n_probs: 0 });
        await complete({ ...request, prompt: `${prompt.slice(0, 400)} Or green.` });
        await complete({ ...request, prompt: "Hello!" });
        const second = await complete({ ...request, cache_prompt: false });
        expect(bitsOf(second)).toEqual(bitsOf(first));
        expect(second).toMatchObject({ tokens_cached: 0, timings: { cache_n: 0 } });
        expect(second.timings.draft_n).toBeUndefined();
        answers.push(first);
      }
      expect(new Set(answers.map(({ content }) => content)).size).toBeGreaterThan(1);
    },
  );

  it("chat completions with cache_prompt: false are bitwise reproducible", async () => {
    const { complete, chat } = await serve(shippedModel, { cacheRamMiB: 16, ...layout });
    const messages = [{ role: "user", content: `Say it again. ${prompt}` }];
    for (const question of [
      { temperature: 0, seed: 1 },
      { temperature: 1, seed: 7 },
    ]) {
      const request = { messages, ...question, max_tokens: 40, ignore_eos: true };
      const anew = { ...request, logprobs: true, top_logprobs: 2, cache_prompt: false };
      const first = await chat(anew);
      await chat(request);
      await complete({ prompt: "Hello!", n_predict: 20 });
      const second = await chat(anew);
      expect(second.choices).toEqual(first.choices);
      expect(second).toMatchObject({ timings: { cache_n: 0 } });
      expect(second.timings?.draft_n).toBeUndefined();
    }
  });
});
