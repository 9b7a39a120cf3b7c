import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeF32Twin } from "../../models/gguf/f32-twin.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { type Answer, type GenerateOptions, generate, openEngine } from "../support/generate.js";
import { shippedModel } from "../support/shipped-model.js";

/** In f32, which rounds least, so that the text does not depend on the batch size. */
const folder = mkdtempSync(join(tmpdir(), "ggufd-"));
const model = join(folder, "twin.gguf");

const story = "Tell me a long story about a ship, its captain Nora, the sea and a storm.";
const endless = { stopping: { maxTokens: 120, ignoreEos: true } };
const wrong = "function increment(x) { return x + 1; }\n".repeat(20);

interface Run extends Answer {
  readonly decodeSteps: number;
}

/**
 * Answers with a new engine, which tries unmeasured options, so that drafts do not depend on the
 * machine.
 */
async function run(
  question: string,
  options: GenerateOptions,
  settings: Partial<EngineSettings> = {},
): Promise<Run> {
  let decodeSteps = 0;
  const engine = await openEngine(
    model,
    { slots: 1, ...settings },
    { onStepEnd: ({ decodeTokens }) => (decodeSteps += Math.sign(decodeTokens)) },
  );
  try {
    return { ...(await generate(engine, question, options)), decodeSteps };
  } finally {
    await engine.close();
  }
}

let plain: Run;
beforeAll(async () => {
  writeF32Twin(shippedModel, model);
  plain = await run(story, endless, { speculation: "off" });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a prediction", () => {
  it.each<[string, (text: string) => string]>([
    ["right", (text) => text],
    ["wrong", () => wrong],
    ["right at the beginning", (text) => text.slice(0, 200) + wrong],
    ["right after the beginning", (text) => wrong + text.slice(100)],
    ["right except for some words", (text) => text.replaceAll("ship", "boat").replaceAll(",", ";")],
    ["a part of the answer", (text) => text.slice(60, 120)],
    ["right after a preamble", (text) => `Here it is:\n\n${text}`],
    ["empty", () => ""],
  ])("that is %s does not change the answer", async (_, predictionOf) => {
    const answer = await run(story, { ...endless, prediction: predictionOf(plain.text) });
    expect(answer.text).toBe(plain.text);
    expect(answer.usage?.completionTokens).toBe(plain.usage?.completionTokens);
    const { acceptedTokens = -1, rejectedTokens = -1 } = answer.usage?.prediction ?? {};
    expect(Math.min(acceptedTokens, rejectedTokens)).toBeGreaterThanOrEqual(0);
    expect(acceptedTokens).toBeLessThan(120);
  });

  it("that is right reduces the number of steps", async () => {
    const { decodeSteps, usage } = await run(story, { ...endless, prediction: plain.text });
    expect(plain.decodeSteps).toBe(119);
    // The first two drafts, of eight and sixteen tokens, are verified on any machine.
    expect(usage?.prediction?.acceptedTokens).toBeGreaterThanOrEqual(20);
    expect(decodeSteps).toBeLessThan(100);
  });

  it("is ignored with --speculation off", async () => {
    const options = { ...endless, prediction: plain.text };
    const { decodeSteps, text, usage } = await run(story, options, { speculation: "off" });
    expect([text, decodeSteps]).toEqual([plain.text, plain.decodeSteps]);
    expect(usage?.prediction).toEqual({ acceptedTokens: 0, rejectedTokens: 0 });
  });

  it("is resumed after reasoning", async () => {
    const thinking = {
      templateVariables: { enable_thinking: true },
      stopping: { maxTokens: 120, ignoreEos: false },
    };
    const { text, usage } = await run(story, thinking, { speculation: "off" });
    expect(usage?.reasoningTokens).toBeGreaterThan(10);
    const prediction = text.slice(text.indexOf("This is"));
    const predicted = await run(story, { ...thinking, prediction });
    expect(predicted.text).toBe(text);
    expect(predicted.usage?.prediction?.acceptedTokens).toBeGreaterThanOrEqual(8);
  });

  it("can be combined with tools, a constraint and a stop string", async () => {
    const weather = {
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    };
    const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
    const [plainEngine, engine] = await Promise.all([
      openEngine(model, { slots: 1, speculation: "off" }),
      openEngine(model, { slots: 1 }),
    ]);
    for (const options of [
      { tools: [weather] },
      { constraint: { type: "json-schema", schema } as const },
      { stopping: { maxTokens: 80, ignoreEos: false, stop: ["captain", "."] } },
      { sampling: { temperature: 1, seed: 7 }, stopping: { maxTokens: 80 } },
    ]) {
      const expected = await generate(plainEngine, story, options);
      const { text, reason, usage } = await generate(engine, story, {
        ...options,
        prediction: expected.text,
      });
      expect([text, reason]).toEqual([expected.text, expected.reason]);
      expect(usage?.prediction?.acceptedTokens).toBeLessThanOrEqual(usage?.completionTokens ?? 0);
    }
    await plainEngine.close();
    await engine.close();
  });
});
