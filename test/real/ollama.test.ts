import { Ollama } from "ollama";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../support/generate.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

let server: RunningApp;
let ollama: Ollama;
beforeAll(async () => {
  server = await runApp(await openEngine(shippedModel, { slots: 2 }));
  ollama = new Ollama({ host: server.url });
});
afterAll(() => server.close());

const model = "scripted";
const options = { temperature: 0, num_predict: 40 };

describe("the ollama package with the shipped model", () => {
  it("gets the same answer with and without streaming", async () => {
    const request = { model, options, messages: [{ role: "user", content: "Who are you?" }] };
    const whole = await ollama.chat(request);
    let streamed = "";
    for await (const { message } of await ollama.chat({ ...request, stream: true })) {
      streamed += message.content;
    }
    expect(whole.message.content).not.toBe("");
    expect(streamed).toBe(whole.message.content);
    expect(whole.eval_count).toBeGreaterThan(1);
    expect(whole.total_duration).toBeGreaterThan(whole.eval_duration);
  });

  it("gets the same answer from chat and generate", async () => {
    const chat = await ollama.chat({
      model,
      options,
      messages: [{ role: "user", content: "Who are you?" }],
    });
    const generated = await ollama.generate({ model, options, prompt: "Who are you?" });
    expect(generated.response).toBe(chat.message.content);
    expect(generated.prompt_eval_count).toBe(chat.prompt_eval_count);
  });

  it("continues a raw prompt without a template", async () => {
    const raw = await ollama.generate({ model, options, prompt: "Who are you?", raw: true });
    const templated = await ollama.generate({ model, options, prompt: "Who are you?" });
    expect(raw.prompt_eval_count).toBeLessThan(templated.prompt_eval_count);
  });

  it("gets output that satisfies the requested format", async () => {
    const format = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const answer = await ollama.chat({
      model,
      format,
      options: { ...options, temperature: 1, seed: 3 },
      messages: [{ role: "user", content: "Give me a number." }],
    });
    expect(JSON.parse(answer.message.content)).toEqual({ n: expect.any(Number) });
  });

  it("gets log-probabilities for all tokens of the text", async () => {
    const answer = await ollama.generate({
      model,
      options,
      prompt: "Who are you?",
      logprobs: true,
      top_logprobs: 2,
    });
    expect(answer.logprobs?.map(({ token }) => token).join("")).toBe(answer.response);
    for (const { logprob, top_logprobs: top } of answer.logprobs ?? []) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top).toHaveLength(2);
    }
  });

  it("gets the file type of the model", async () => {
    const { details, model_info: info } = await ollama.show({ model });
    expect(details.quantization_level).toBe("Q8_0");
    expect(info).toMatchObject({ "general.architecture": "llama" });
  });

  it("gets an error because the model does not support infill", async () => {
    const request = { model, options, prompt: "a", suffix: "b" };
    await expect(ollama.generate(request)).rejects.toMatchObject({ status_code: 400 });
  });
});
