import { describe, expect, it, onTestFinished } from "vitest";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";

const questions = ["one", "two and three ".repeat(9), "four", "five ".repeat(30), "six", "seven"];

/** Opens an engine and returns the texts of concurrent requests. */
async function answersWith(
  shape: Parameters<typeof tinyModel>[1],
  settings: Partial<EngineSettings>,
) {
  const engine = await openEngine(tinyModel("f32", shape), settings);
  onTestFinished(() => engine.close());
  const answers = await Promise.all(questions.map((question) => generate(engine, question)));
  return { texts: answers.map(({ text }) => text), batchSize: engine.description.batchSize };
}

describe("with small passes (--ubatch-size)", () => {
  it.each([
    ["tiny", "split", 1, 128],
    ["tiny", "unified", 3, 128],
    ["moe-tiny", "split", 5, 5],
    ["cohere2-tiny", "split", 7, 7],
    ["jamba-tiny", "split", 5, 5],
  ] as const)(
    "a model answers as in large ones: %s, %s, with passes of %i tokens and steps of %i",
    async (shape, kvCacheLayout, ubatchSize, batchSize) => {
      const { texts } = await answersWith(shape, { kvCacheLayout });
      const small = await answersWith(shape, { kvCacheLayout, ubatchSize });
      expect(small).toEqual({ texts, batchSize });
    },
  );
});
