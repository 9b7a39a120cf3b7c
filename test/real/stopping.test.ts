import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { StoppingParameters } from "../../src/core/generation-request.js";
import { generate, openEngine, preparerOf } from "../support/generate.js";
import { shippedModel } from "../support/shipped-model.js";

const question = { role: "user", content: "What is the capital of France?" } as const;

let engine: Engine;
/** The last token of " Paris". */
let paris: number;
beforeAll(async () => {
  engine = await openEngine(shippedModel, { slots: 1, contextSize: 512 });
  const preparer = await preparerOf(shippedModel, { contextSize: 512 });
  const { promptTokens } = preparer.prepare({
    id: "begun",
    prompt: {
      type: "chat",
      messages: [question, { role: "assistant", content: "The capital of France is Paris" }],
      tools: [],
      templateVariables: {},
    },
    sampling: {},
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  });
  paris = promptTokens.at(-1) ?? -1;
});
afterAll(() => engine.close());

const answer = (stopping: Partial<StoppingParameters>) =>
  generate(engine, [question], { stopping: { ignoreEos: false, ...stopping } });

describe("a stop token", () => {
  it("ends the answer, and is not part of it", async () => {
    const { text, reason } = await answer({ stopTokens: [paris] });
    expect((await answer({})).text).toBe("The capital of France is Paris.");
    expect({ text, reason }).toEqual({ text: "The capital of France is Par", reason: "stop" });
  });

  it("ends the answer even with ignore_eos", async () => {
    const { text, reason } = await answer({ stopTokens: [paris], ignoreEos: true });
    expect({ text, reason }).toEqual({ text: "The capital of France is Par", reason: "stop" });
  });

  it("is not sampled before the minimum number of tokens", async () => {
    const { text, usage } = await answer({ stopTokens: [paris], minTokens: 12, maxTokens: 12 });
    expect(usage?.completionTokens).toBe(12);
    expect(text).not.toContain("Paris");
  });
});
