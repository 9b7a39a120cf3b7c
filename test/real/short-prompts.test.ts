import { expect, it } from "vitest";
import type { StepReport } from "../../src/engine/step/step-report.js";
import { type GenerateOptions, generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";

const long = "The ship is old, and its captain is called Nora. ".repeat(120);
const beginnings = { "of its own": "What is this?", "that both have": `${long.slice(0, 98)} Why?` };
const layouts = ["split", "unified"] as const;
const cases = layouts.flatMap((kvCacheLayout) =>
  Object.entries(beginnings).map(([beginning, short]) => ({ kvCacheLayout, beginning, short })),
);

it.each(cases)(
  "a short prompt with a beginning $beginning overtakes a long one, and both get correct answers ($kvCacheLayout)",
  async ({ kvCacheLayout, short }) => {
    let onStepEnd: (report: StepReport) => void = () => undefined;
    const engine = await openEngine(
      tinyModel(),
      // Ensures that the running evaluation is aborted, regardless of the machine's speed.
      { slots: 2, contextSize: 8192, kvCacheLayout, itlTargetMs: 1 },
      { onStepEnd: (report) => onStepEnd(report) },
    );
    const ends: string[] = [];
    const ask = async (prompt: string, options: GenerateOptions = {}) => {
      const { text } = await generate(engine, prompt, { stopping: { maxTokens: 6 }, ...options });
      ends.push(prompt);
      return text;
    };
    try {
      const alone = [await ask(long), await ask(short)];
      // Evicts both prompts from the cache.
      await Promise.all([ask("a ".repeat(3000)), ask("b ".repeat(3000))]);
      ends.length = 0;
      const beside: Promise<string>[] = [];
      onStepEnd = ({ prefillTokens }) => {
        if (prefillTokens > 0 && beside.length === 1) beside.push(ask(short));
      };
      beside.push(ask(long));
      await beside[0];
      expect(await Promise.all(beside)).toEqual(alone);
      expect(ends).toEqual([short, long]);
    } finally {
      await engine.close();
    }
  },
);
