import type OpenAI from "openai";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { TextCompletion } from "../../../../src/api/openai/completions/answer.js";
import type { TextCompletionChunk } from "../../../../src/api/openai/completions/stream.js";
import { openAIClient } from "../../../support/openai-client.js";
import { ScriptedEngine } from "../../../support/scripted-engine.js";
import { serve } from "../../../support/serve.js";
import { ALIAS } from "../../../support/test-app.js";

const engine = new ScriptedEngine(
  () => {
    throw new Error("expected a prompt without messages");
  },
  {
    slots: 4,
    rawScript: ({ prompt }) =>
      prompt.type === "text" && prompt.text === "endless"
        ? { parts: ["a"], ending: "never" }
        : { parts: [" Paris", "."] },
  },
);
const client = openAIClient(await serve(engine));

describe("the OpenAI SDK's completions client", () => {
  it("has types compatible with the described responses", () => {
    // OpenAI's types omit null for the first token of an echoed prompt.
    type Logprobs = NonNullable<TextCompletion["choices"][number]["logprobs"]>;
    type WithoutNulls = {
      [Field in keyof Logprobs]: NonNullable<Logprobs[Field][number]>[];
    };
    expectTypeOf<WithoutNulls>().toExtend<OpenAI.CompletionChoice.Logprobs>();
    type WithoutLogprobs = Omit<TextCompletion, "choices"> & {
      choices: (Omit<TextCompletion["choices"][number], "logprobs"> & { logprobs: null })[];
    };
    expectTypeOf<WithoutLogprobs>().toExtend<OpenAI.Completion>();
    type Chunk = Omit<TextCompletionChunk, "choices" | "usage">;
    expectTypeOf<Chunk>().toExtend<Omit<OpenAI.Completion, "choices" | "usage">>();
  });

  it("completes several prompts", async () => {
    const completion = await client.completions.create({ model: ALIAS, prompt: ["a", "b"] });
    expect(completion.choices.map(({ text }) => text)).toEqual([" Paris.", " Paris."]);
    expect(completion.usage?.prompt_tokens).toBe(2);
  });

  it("streams a completion", async () => {
    const stream = await client.completions.create({
      model: ALIAS,
      prompt: "The capital of France is",
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: OpenAI.CompletionUsage | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.text ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(" Paris.");
    expect(usage?.completion_tokens).toBe(2);
  });

  it("throws errors with the field's name", async () => {
    const asked = client.completions.create({ model: ALIAS, prompt: "a", n: 99 });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "n", code: "invalid_request" });
  });

  it("frees the slot when it disconnects", async () => {
    const stream = await client.completions.create({
      model: ALIAS,
      prompt: "endless",
      stream: true,
    });
    for await (const _ of stream) stream.controller.abort();
    await expect.poll(() => engine.cancelled).toHaveLength(1);
  });
});
