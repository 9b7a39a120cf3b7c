import { describe, expect, test } from "vitest";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
} from "../simulated/simulated-engine.js";

/** An engine whose model does not support partial truncation. */
const checkpointEngine = (options: SimulatedEngineOptions = {}) =>
  new SimulatedEngine({
    batchSize: 512,
    next: mixedModel,
    partialTruncation: "unsupported",
    ...options,
  });

const shared = "abcdefghij".repeat(10);

describe("a model without partial truncation", () => {
  test("evaluates a prompt in slices that end at its checkpoints", async () => {
    const engine = checkpointEngine({ slots: 1 });
    engine.start({ prompt: shared, maxTokens: 1 });
    await engine.allEnded();
    const calls = engine.context.calls.filter(({ kind }) => kind === "evaluate" || kind === "save");
    expect(calls.map(({ kind, parts }) => [kind, parts[0]?.tokens.length])).toEqual([
      ["evaluate", 84],
      ["save", undefined],
      ["evaluate", 16],
    ]);
  });

  const prompts = ["x", "y", "z"].map((end) => shared + end.repeat(100));
  const alone = async (prompt: string) => {
    const engine = checkpointEngine({ slots: 1 });
    const generation = engine.start({ prompt });
    await engine.allEnded();
    return generation.text;
  };

  test("evaluates the shared prefix of concurrent prompts once", async () => {
    const engine = checkpointEngine({ slots: 3 });
    const generations = prompts.map((prompt) => engine.start({ prompt }));
    await engine.allEnded();
    expect(generations.map(({ cachedTokens }) => cachedTokens)).toEqual([0, 96, 96]);
    for (const [index, { text }] of generations.entries()) {
      expect(text).toBe(await alone(prompts[index] ?? ""));
    }
  });

  test("continues a conversation whose last answer is rendered differently", async () => {
    const engine = checkpointEngine({ slots: 1 });
    engine.start({ prompt: shared, maxTokens: 3 });
    await engine.allEnded();
    const next = engine.start({ prompt: `${shared}qqq${shared}` });
    await engine.allEnded();
    expect(next.cachedTokens).toBe(84);
  });

  test("continues without a checkpoint that cannot be saved", async () => {
    const engine = checkpointEngine({
      slots: 2,
      onCall: ({ kind }) => (kind === "save" ? Promise.reject(new Error("no space")) : undefined),
    });
    const generations = prompts.map((prompt) => engine.start({ prompt }));
    await engine.allEnded();
    for (const [index, { endings, text }] of generations.entries()) {
      expect(endings).toEqual(["finished"]);
      expect(text).toBe(await alone(prompts[index] ?? ""));
    }
  });
});
